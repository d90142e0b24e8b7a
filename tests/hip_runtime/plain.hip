// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The part of the program that is compiled without tools.
#include <hip/hip_runtime.h>

__global__ void fill_kernel(int* data) { data[threadIdx.x] = 1; }
void fill(unsigned blocks, hipStream_t stream) { fill_kernel<<<blocks, 64, 0, stream>>>(nullptr); }
