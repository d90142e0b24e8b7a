// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A kernel that is instantiated in each file that launches it: one of the instances is in the program.
#pragma once
#include <hip/hip_runtime.h>

template <class T>
__global__ void add_twice(T* sum, int n) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(sum, T(2));
}

void launch_in_other_file(int* sum);
