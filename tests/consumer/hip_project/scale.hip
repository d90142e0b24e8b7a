// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <hip/hip_runtime.h>

__global__ void scale(float* data, float by) { data[blockIdx.x * blockDim.x + threadIdx.x] *= by; }

int main() {
  float* data = nullptr;
  if (hipMalloc(&data, 4096) != hipSuccess) return 1;
  scale<<<4, 256>>>(data, 2.0f);
  return hipFree(data) == hipSuccess ? 0 : 2;
}
