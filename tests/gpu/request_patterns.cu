// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Plain CUDA kernels whose requests and sectors are read from the hardware's counters;
// tests/golden/request_patterns.json holds what an NVIDIA GPU said, and tests/conformance compares the host engine's
// kernels of the same names with it. Every kernel is launched once with one block of 256 threads, unless it says
// otherwise.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int threads = 256;
#define LANE (threadIdx.x % 32)
#define KERNEL extern "C" __global__ void

KERNEL two_branches(volatile int* a) {
  if (LANE < 5) {
    a[threadIdx.x] = 1;
  } else {
    a[threadIdx.x + 256] = 2;
  }
  a[threadIdx.x + 512] = 3;
}

KERNEL triangle(const volatile int* a, volatile int* out) {
  int sum = 0;
#pragma unroll 1
  for (unsigned i = 0; i <= LANE; ++i) {
    sum += a[i];
  }
  out[threadIdx.x] = sum;
}

KERNEL nested(const volatile int* a, volatile int* out) {
#pragma unroll 1
  for (unsigned row = 0; row < 4; ++row) {
    int sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i <= (LANE + row) % 8; ++i) {
      sum += a[i];
    }
    out[threadIdx.x * 4 + row] = sum;
  }
}

KERNEL skips(const volatile int* a, volatile int* out) {
#pragma unroll 1
  for (unsigned i = 0; i < 8; ++i) {
    int value = a[i * 64 + LANE];
    if ((i + LANE) % 3 != 0) {
      out[threadIdx.x * 8 + i] = value;
    }
    __syncwarp();
  }
}

// As skips, but nothing marks the loop's end.
KERNEL skips_unmarked(const volatile int* a, volatile int* out) {
#pragma unroll 1
  for (unsigned i = 0; i < 8; ++i) {
    int value = a[i * 64 + LANE];
    if ((i + LANE) % 3 == 0) continue;
    out[threadIdx.x * 8 + i] = value;
  }
}

// Lanes come to the only access in different iterations.
KERNEL alternates(volatile int* a) {
#pragma unroll 1
  for (unsigned i = 0; i < 8; ++i) {
    if ((i + LANE) % 2 == 0) {
      a[threadIdx.x * 8 + i] = 1;
    }
  }
}

KERNEL leaves_early(volatile int* a) {
  a[threadIdx.x] = 1;
  if (LANE % 2 == 1) return;
  a[threadIdx.x + 256] = 2;
  __syncthreads();
  a[threadIdx.x + 512] = 3;
}

// One row of a lower triangular matrix for each thread.
KERNEL rows(const volatile int* begin, const volatile int* column, const volatile float* x, volatile float* y) {
  float sum = 0;
  int const last = begin[threadIdx.x + 1];
#pragma unroll 1
  for (int k = begin[threadIdx.x]; k < last; ++k) {
    sum += x[column[k]];
  }
  y[threadIdx.x] = sum;
}

// The inner loop's only access is the outer loop's only one as well, but for the store.
KERNEL binary_search(const volatile int* sorted, volatile int* out) {
  int low = 0, high = 1000;
#pragma unroll 1
  while (low < high) {
    int const middle = (low + high) / 2;
    if (sorted[middle] < static_cast<int>(threadIdx.x * 7)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  out[threadIdx.x] = low;
}

KERNEL counts_bins(const volatile unsigned* in, unsigned* bins) {
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < 1000; i += 256) {
    atomicAdd(&bins[in[i]], 1u);
  }
}

__device__ __noinline__ int helper(const volatile int* a, int i) { return a[i] + a[i + 1]; }
// A function that is not inlined, called from both branches.
KERNEL calls_in_branches(const volatile int* a, volatile int* out) {
  int value;
  if (LANE < 16) {
    value = helper(a, threadIdx.x);
  } else {
    value = helper(a, 1000 - threadIdx.x) * 2;
  }
  out[threadIdx.x] = value;
}

template <class T>
static T* upload(std::vector<T> const& from) {
  T* to = nullptr;
  if (cudaMalloc(&to, from.size() * sizeof(T)) != cudaSuccess) std::exit(1);
  cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}

int main() {
  std::vector<int> ones(4096, 1), begin(threads + 1), column, sorted(1024);
  for (int row = 0; row < threads; ++row) {
    begin[row] = static_cast<int>(column.size());
    for (int k = 0; k < row % 7; ++k) column.push_back((row * 37 + k * 11) % 512);
  }
  begin[threads] = static_cast<int>(column.size());
  for (int i = 0; i < 1024; ++i) sorted[i] = 2 * i;
  std::vector<unsigned> values(1024), none(64);
  for (unsigned i = 0; i < 1024; ++i) values[i] = (i * 7 + i / 32) % 64;
  std::vector<float> x(512, 1.0f), y(threads);
  int *a = upload(ones), *out = upload(ones);
  two_branches<<<1, threads>>>(a);
  triangle<<<1, threads>>>(a, out);
  nested<<<1, threads>>>(a, out);
  skips<<<1, threads>>>(a, out);
  skips_unmarked<<<1, threads>>>(a, out);
  alternates<<<1, threads>>>(a);
  leaves_early<<<1, threads>>>(a);
  rows<<<1, threads>>>(upload(begin), upload(column), upload(x), upload(y));
  binary_search<<<1, threads>>>(upload(sorted), out);
  counts_bins<<<1, threads>>>(upload(values), upload(none));
  calls_in_branches<<<1, threads>>>(a, out);
  cudaError_t const status = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(status));
  return status == cudaSuccess ? 0 : 1;
}
