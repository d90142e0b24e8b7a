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

int main() {
  constexpr int count = 1000;
  int *values = nullptr, *sum = nullptr, result = 0;
  if (hipMalloc(reinterpret_cast<void**>(&values), count * sizeof(int)) != hipSuccess ||
      hipMalloc(reinterpret_cast<void**>(&sum), sizeof(int)) != hipSuccess)
    return 1;
  if (hipMemset(sum, 0, sizeof(int)) != hipSuccess) return 1;
  every_event<<<4, 256>>>(values, count, sum);
  if (hipMemcpy(&result, sum, sizeof(int), hipMemcpyDeviceToHost) != hipSuccess) return 1;
  std::printf("%d\n", result);
  return 0;
}
