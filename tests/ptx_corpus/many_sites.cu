// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Hundreds of places that access memory in one kernel.
// corpus: -arch=compute_80
// corpus: -arch=compute_90 -G
#include <cstdint>

template <int Count>
__device__ void take_steps(float const* in, float* out, std::uint32_t stride) {
  float const a = in[Count * stride], b = in[Count * stride + 7];
  if (a > b) {
    out[Count * 3] = a;
  } else {
    out[Count * 3 + 1] = b * in[static_cast<std::uint32_t>(b)];
  }
  if constexpr (Count > 0) take_steps<Count - 1>(in + 1, out + 1, stride);
}

__global__ void long_kernel(float const* in, float* out, std::uint32_t stride) {
  take_steps<150>(in + threadIdx.x, out + threadIdx.x, stride);
}

__global__ void straight(double const* in, double* out, int n) {
  __shared__ double tile[32][33];
  double sums[32];
#pragma unroll
  for (int i = 0; i < 32; ++i) sums[i] = tile[i][threadIdx.x] = in[i * n + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; ++k) {
#pragma unroll
    for (int i = 0; i < 32; ++i) sums[i] += tile[threadIdx.x][(i + k) % 32] * tile[k][i];
  }
#pragma unroll
  for (int i = 0; i < 32; ++i) out[i * n + threadIdx.x] = sums[i];
}
