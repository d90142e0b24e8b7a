// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// CUB's radix sort of the whole device.
// corpus: -arch=compute_75
// corpus: -arch=compute_90 -lineinfo
#include <cstddef>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>

void sort_keys(std::uint32_t const* in, std::uint32_t* out, std::size_t count, void* memory, std::size_t& bytes) {
  cub::DeviceRadixSort::SortKeys(memory, bytes, in, out, count);
}

void sort_pairs(std::uint64_t const* keys, std::uint64_t* sorted, float const* values, float* moved, int count,
                void* memory, std::size_t& bytes) {
  cub::DeviceRadixSort::SortPairsDescending(memory, bytes, keys, sorted, values, moved, count);
}
