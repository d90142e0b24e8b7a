// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Matrix instructions of AMD GPUs in a kernel that knows nothing of PASTA.
#include <hip/hip_runtime.h>

using halves = _Float16 __attribute__((ext_vector_type(4)));
using four = float __attribute__((ext_vector_type(4)));
using sixteen = float __attribute__((ext_vector_type(16)));

__global__ void products(float* c, int steps) {
  halves const a{1, 2, 3, 4};
  sixteen large{};
#pragma unroll 1
  for (int i = 0; i < steps; ++i) large = __builtin_amdgcn_mfma_f32_32x32x8f16(a, a, large, 0, 0, 0);
  four small{};
  if (steps > 3) small = __builtin_amdgcn_mfma_f32_4x4x4f16(a, a, small, 0, 0, 0);
  c[threadIdx.x] = large[0] + small[0];
}
