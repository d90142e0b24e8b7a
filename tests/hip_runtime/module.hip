// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A module that the program loads.
#include <hip/hip_runtime.h>

extern "C" __global__ void twice(double* data) { data[threadIdx.x] *= 2; }
