// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// CUB's histogram and selection of the whole device.
// corpus: -arch=compute_80
// corpus: -arch=compute_120
#include <cstddef>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_select.cuh>

struct is_large {
  float bound;
  __device__ bool operator()(float x) const { return x > bound; }
};

void count_values(float const* in, int* counts, int bins, int count, void* memory, std::size_t& bytes) {
  cub::DeviceHistogram::HistogramEven(memory, bytes, in, counts, bins + 1, 0.0f, 1.0f, count);
}

void select(float const* in, float* out, int* selected, int count, void* memory, std::size_t& bytes) {
  cub::DeviceSelect::If(memory, bytes, in, out, selected, count, is_large{0.5f});
}
