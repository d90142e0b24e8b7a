// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// CUB's scan and reduction of the whole device.
// corpus: -arch=compute_80
// corpus: -arch=compute_90
// corpus: -arch=compute_100
#include <cstddef>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

void scan(int const* in, int* out, int count, void* memory, std::size_t& bytes) {
  cub::DeviceScan::ExclusiveSum(memory, bytes, in, out, count);
}

void reduce(double const* in, double* out, int count, void* memory, std::size_t& bytes) {
  cub::DeviceReduce::Sum(memory, bytes, in, out, count);
}

void find_least(float const* in, float* least, int* place, int count, void* memory, std::size_t& bytes) {
  cub::DeviceReduce::ArgMin(memory, bytes, in, least, place, count);
}
