// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A kernel as it stands in many CUDA programs.
#include <pasta/cuda_names.hpp>
template <class P> __global__ void saxpy(int n, float a, pasta::traced<float const, P> x, pasta::traced<float, P> y) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// x and y are device memory.
void run_saxpy(int n, float a, float const* x, float* y) {
  pasta::launch(PASTA_KERNEL(saxpy), {(n + 255u) / 256, 256}, n, a, x, y);
}
