// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A HIP program that knows nothing of PASTA.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void scale(float* data, float by) { data[blockIdx.x * blockDim.x + threadIdx.x] *= by; }

int main() {
  float *a = nullptr, *b = nullptr;
  if (hipMalloc(&a, 1024) != hipSuccess || hipMalloc(&b, 16) != hipSuccess) return 1;
  scale<<<dim3(2, 1, 1), dim3(64, 2)>>>(a, 2.0f);
  hipLaunchKernelGGL(scale, 3, 32, 256, 0, a, 3.0f);
  scale<<<1, 2048>>>(a, 1.0f);
  if (hipGetLastError() != hipErrorInvalidConfiguration) return 2;
  if (hipFree(b) != hipSuccess || hipFree(a) != hipSuccess || hipDeviceSynchronize() != hipSuccess) return 3;
  std::puts("done");
}
