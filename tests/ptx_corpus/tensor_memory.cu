// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The tensor memory of sm_100: allocation, a product, loads and copies.
// corpus: -arch=compute_100a
#include <cuda/ptx>

#include <cstdint>

namespace ptx = cuda::ptx;

__global__ void product(std::uint64_t a, std::uint64_t b, std::uint32_t description, float* out) {
  __shared__ std::uint32_t columns;
  __shared__ std::uint64_t done;
  if (threadIdx.x < 32) {
    ptx::tcgen05_alloc(ptx::cta_group_1, &columns, 64);
    ptx::tcgen05_relinquish_alloc_permit(ptx::cta_group_1);
  }
  if (threadIdx.x == 0) ptx::mbarrier_init(&done, 1);
  __syncthreads();
  std::uint32_t const at = columns;
  if (threadIdx.x == 0) {
    for (int k = 0; k < 4; ++k) {
      ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_1, at, a + k * 2, b + k * 2, description, k != 0);
    }
    ptx::tcgen05_commit(ptx::cta_group_1, &done);
  }
  while (!ptx::mbarrier_try_wait_parity(&done, 0)) {
  }
  ptx::tcgen05_fence_after_thread_sync();
  std::uint32_t sum[32];
  ptx::tcgen05_ld_32x32b(sum, at + (threadIdx.x / 32 * 32 << 16));
  ptx::tcgen05_wait_ld();
  for (int i = 0; i < 32; ++i) out[threadIdx.x * 32 + i] = __uint_as_float(sum[i]);
  std::uint32_t const words[4] = {threadIdx.x, 1, 2, 3};
  ptx::tcgen05_st_32x32b(at, words);
  ptx::tcgen05_wait_st();
  ptx::tcgen05_fence_before_thread_sync();
  __syncthreads();
  if (threadIdx.x < 32) ptx::tcgen05_dealloc(ptx::cta_group_1, at, 64);
}
