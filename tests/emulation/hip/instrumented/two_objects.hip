// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// One of two files that have an instance of a kernel.
#include "shared_kernel.hpp"

#include <cstdio>

// So that what both files have is at different places in their tables.
__global__ void of_this_file(int* sum) {
  if (threadIdx.x == 0) *sum = 7;
}

int main() {
  int* sum = nullptr;
  if (hipMalloc(&sum, sizeof(int)) != hipSuccess) return 1;
  of_this_file<<<1, 64>>>(sum);
  add_twice<int><<<2, 64>>>(sum, 100);
  launch_in_other_file(sum);
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  std::printf("%d\n", *sum);
  return hipFree(sum) == hipSuccess ? 0 : 1;
}
