// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Kernels of an unmodified HIP program.
#include <hip/hip_runtime.h>

__device__ __attribute__((noinline)) float pick(float const* values, int which) { return values[which]; }

__device__ inline float twice(float const* values, int which) { return 2 * values[which]; }

__global__ void vector_add(float const* a, float const* b, float* c, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void csr_spmv(int const* rows, int const* columns, float const* values, float const* x, float* y, int n) {
  int const row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int j = rows[row]; j < rows[row + 1]; ++j) sum += values[j] * x[columns[j]];
  y[row] = sum;
}

__global__ void reverse_tile(float* out, float const* in) {
  __shared__ float tile[256];
  tile[threadIdx.x] = twice(in, threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];
}

__global__ void histogram(unsigned const* keys, unsigned* bins) { atomicAdd(&bins[keys[threadIdx.x]], 1u); }

__global__ void picked(float* out, float const* in, int which) { out[threadIdx.x] = pick(in, which + threadIdx.x); }
