// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What the lanes of a warp and the warps of a block do together.
// corpus: -arch=compute_75
// corpus: -arch=compute_80
// corpus: -arch=compute_90 -lineinfo
#include <cstdint>

__global__ void shuffles(int const* in, int* out, float* f, double* d) {
  int x = in[threadIdx.x];
  x += __shfl_xor_sync(0xffffffff, x, 16);
  x += __shfl_up_sync(0xffffffff, x, 1);
  x += __shfl_down_sync(0x0000ffff, x, 2, 16);
  f[threadIdx.x] = __shfl_sync(0xffffffff, f[threadIdx.x], x & 31);
  d[threadIdx.x] = __shfl_xor_sync(0xffffffff, d[threadIdx.x], 4);
  out[threadIdx.x] = x;
}

__global__ void votes(int const* in, unsigned* out) {
  int const x = in[threadIdx.x];
  unsigned const active = __activemask();
  out[0] = __ballot_sync(active, x > 3);
  out[1] = static_cast<unsigned>(__any_sync(active, x > 4) + __all_sync(active, x > 5));
  out[2] = __match_any_sync(active, x);
  int is_same;
  out[3] = __match_all_sync(active, x, &is_same) + static_cast<unsigned>(is_same);
  __syncwarp(active);
  __nanosleep(100);
#if __CUDA_ARCH__ >= 800
  out[4] = __reduce_add_sync(active, static_cast<unsigned>(x)) + __reduce_xor_sync(active, static_cast<unsigned>(x));
  out[5] = static_cast<unsigned>(__reduce_max_sync(active, x));
#endif
#if __CUDA_ARCH__ >= 900
  unsigned is_chosen;
  asm volatile("{\n .reg .pred p;\n elect.sync _|p, 0xffffffff;\n selp.u32 %0, 1, 0, p;\n}" : "=r"(is_chosen));
  if (is_chosen) out[6] = 1;
#endif
}

__global__ void barriers(int* at) {
  __shared__ int tile[1024];
  tile[threadIdx.x] = at[threadIdx.x];
  int const count = __syncthreads_count(tile[threadIdx.x] > 3);
  int const any = __syncthreads_or(tile[threadIdx.x ^ 1]);
  at[threadIdx.x] = count + (__syncthreads_and(any) ? tile[threadIdx.x ^ 2] : 0);
  if (threadIdx.x < 64) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    at[threadIdx.x] += tile[63 - threadIdx.x];
    asm volatile("barrier.cta.arrive 2, 128;" ::: "memory");
  } else if (threadIdx.x < 128) {
    asm volatile("barrier.sync 2, 128;" ::: "memory");
  }
}

__global__ void counters(std::uint64_t* out) {
  std::uint64_t const begin = clock64();
  std::uint32_t sm, lane, mask;
  asm volatile("mov.u32 %0, %%smid; mov.u32 %1, %%laneid; mov.u32 %2, %%lanemask_lt;"
               : "=r"(sm), "=r"(lane), "=r"(mask));
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  out[threadIdx.x] = clock64() - begin + now + sm + lane + mask;
}
