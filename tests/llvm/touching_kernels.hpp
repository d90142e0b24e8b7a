// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Plain kernels that touch memory of which each line is known, for the host engine and for HIP: touched.py has the
/// figures. Behind pasta/cuda_names.hpp or hip/hip_runtime.h.
#ifndef PASTA_TESTS_LLVM_TOUCHING_KERNELS_HPP
#define PASTA_TESTS_LLVM_TOUCHING_KERNELS_HPP

__device__ unsigned outside;  // in no allocation

__global__ void strided(float const* in, float* out, int count, int stride) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = in[i * stride];
}

// A word of each of four lines.
__device__ __attribute__((noinline)) unsigned sum_of_lines(unsigned const* from) {
  return from[0] + from[32] + from[64] + from[96];
}

__global__ void calling(unsigned const* in, unsigned* out) { out[threadIdx.x] = sum_of_lines(in + 128 * threadIdx.x); }

__global__ void partly_outside(unsigned* sum, unsigned count) {
  if (blockIdx.x * blockDim.x + threadIdx.x >= count) return;
  atomicAdd(sum, 1u);
  atomicAdd(&outside, 1u);
}

__global__ void fill_from(double* out, unsigned first) { out[first + threadIdx.x] = 1; }

// So many sites that their handlers are called on a GPU.
__global__ void many_loads(unsigned const* in, unsigned* out) {
  unsigned const* const from = in + threadIdx.x;
  out[threadIdx.x] = from[0] + from[1] + from[2] + from[3] + from[4] + from[5] + from[6] + from[7] + from[8] + from[9] +
                     from[10] + from[11] + from[12] + from[13] + from[14] + from[15] + from[16] + from[17] + from[18] +
                     from[19];
}

#endif
