// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Kernels that launch kernels.
// corpus: -arch=compute_75 -rdc=true
// corpus: -arch=compute_90 -rdc=true
#include <cuda_runtime.h>

__global__ void halve(int* at, int count) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) at[i] /= 2;
}

__global__ void halve_until(int* at, int count, int limit) {
  if (at[0] <= limit) return;
  halve<<<(count + 127) / 128, 128>>>(at, count);
  halve_until<<<1, 1, 0, cudaStreamTailLaunch>>>(at, count, limit);
}
