// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/cuda_names.hpp>

template <class T>
__global__ void scale(T* values, T by, int n) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) values[i] *= by;
}
extern template void scale<float>(float*, float, int);  // scale.cpp
__global__ void fill(float* values, float with);
