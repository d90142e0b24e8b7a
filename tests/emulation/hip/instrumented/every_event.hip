// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A HIP program that knows nothing of PASTA: each event that the llvm route has, with numbers that are known.
#include <hip/hip_runtime.h>

#include <cstdio>

__device__ __attribute__((noinline)) int twice(int value) { return 2 * value; }

__global__ void every_event(int* values, int count, int* sum) {
  __shared__ int shared[256];
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = twice(i);
  shared[threadIdx.x] = i;
  __syncthreads();
  if (i % 4 == 1) atomicAdd(sum, shared[threadIdx.x ^ 1]);
}

// So many handlers that hooks are called.
__global__ void many_accesses(int const* in, int* out) {
  int const i = threadIdx.x;
  int sum = in[i];
  sum += in[i + 1];
  sum += in[i + 2];
  sum += in[i + 3];
  sum += in[i + 4];
  sum += in[i + 5];
  sum += in[i + 6];
  sum += in[i + 7];
  sum += in[i + 8];
  sum += in[i + 9];
  sum += in[i + 10];
  sum += in[i + 11];
  sum += in[i + 12];
  sum += in[i + 13];
  sum += in[i + 14];
  sum += in[i + 15];
  sum += in[i + 16];
  sum += in[i + 17];
  sum += in[i + 18];
  sum += in[i + 19];
  out[i] = sum;
}

int main() {
  constexpr int count = 1000;
  int *values = nullptr, *sum = nullptr, result = 0;
  if (hipMalloc(reinterpret_cast<void**>(&values), count * sizeof(int)) != hipSuccess ||
      hipMalloc(reinterpret_cast<void**>(&sum), sizeof(int)) != hipSuccess)
    return 1;
  if (hipMemset(sum, 0, sizeof(int)) != hipSuccess) return 1;
  every_event<<<4, 256>>>(values, count, sum);
  many_accesses<<<1, 200>>>(values, values + 500);
  if (hipMemcpy(&result, sum, sizeof(int), hipMemcpyDeviceToHost) != hipSuccess) return 1;
  std::printf("%d\n", result);
  return 0;
}
