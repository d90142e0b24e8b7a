// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Bulk and tensor copies, their reductions and prefetches, and stores to another block's shared memory.
// corpus: -arch=compute_90
// corpus: -arch=compute_90a -lineinfo
// corpus: -arch=compute_100
// corpus: -arch=compute_120
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include <cstdint>

namespace ptx = cuda::ptx;

constexpr int bytes = 4096;

__global__ void add_one(float const* in, float* out) {
  __shared__ alignas(128) float staged[bytes / sizeof(float)];
  __shared__ std::uint64_t arrived;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&arrived, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived, bytes);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, staged, in + blockIdx.x * bytes / sizeof(float), bytes,
                       &arrived);
  }
  while (!ptx::mbarrier_try_wait_parity(&arrived, 0)) {
  }
  for (unsigned i = threadIdx.x; i < bytes / sizeof(float); i += blockDim.x) staged[i] += 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * bytes / sizeof(float), staged, bytes);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, reinterpret_cast<std::uint32_t*>(out),
                              reinterpret_cast<std::uint32_t*>(staged), bytes);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}

__global__ void move_tiles(__grid_constant__ CUtensorMap const from, __grid_constant__ CUtensorMap const to) {
  __shared__ alignas(128) int tile[32][32];
  __shared__ std::uint64_t arrived;
  int const place[2] = {static_cast<int>(blockIdx.x) * 32, static_cast<int>(blockIdx.y) * 32};
  int const block_place[3] = {place[0], place[1], 0};
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&from) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&from), "r"(place[0]),
                 "r"(place[1])
                 : "memory");
    ptx::mbarrier_init(&arrived, blockDim.x);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &tile, &from, place, &arrived);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived, sizeof(tile));
  } else {
    ptx::mbarrier_arrive(&arrived);
  }
  while (!ptx::mbarrier_try_wait_parity(&arrived, 0)) {
  }
  tile[threadIdx.x / 32][threadIdx.x % 32] *= 2;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, place, &tile);
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_max, &to, block_place, &tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}

__global__ void __cluster_dims__(2) send_to_neighbour(int const* in, int* out) {
  __shared__ int received[128];
  __shared__ alignas(16) int many[128];
  __shared__ std::uint64_t arrived;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&arrived, 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived,
                                   sizeof(received) + sizeof(many));
  }
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
  std::uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  auto const own = static_cast<std::uint32_t>(__cvta_generic_to_shared(received + threadIdx.x));
  auto const own_arrived = static_cast<std::uint32_t>(__cvta_generic_to_shared(&arrived));
  asm volatile(
      "{\n"
      "  .reg .u32 there, bar;\n"
      "  mapa.shared::cluster.u32 there, %0, %1;\n"
      "  mapa.shared::cluster.u32 bar, %2, %1;\n"
      "  st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [there], %3, [bar];\n"
      "}\n" ::"r"(own),
      "r"(rank ^ 1), "r"(own_arrived), "r"(in[threadIdx.x])
      : "memory");
  if (threadIdx.x == 0) {
    asm volatile(
        "{\n"
        "  .reg .u32 there, bar;\n"
        "  mapa.shared::cluster.u32 there, %0, %1;\n"
        "  mapa.shared::cluster.u32 bar, %2, %1;\n"
        "  cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [there], [%3], 512, [bar];\n"
        "}\n" ::"r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(many))),
        "r"(rank ^ 1), "r"(own_arrived), "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(many)))
        : "memory");
  }
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &arrived, 0)) {
  }
  out[threadIdx.x] = received[threadIdx.x] + many[threadIdx.x];
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}

__global__ void __cluster_dims__(4) share_one_copy(float const* in, float* out) {
  __shared__ alignas(128) float staged[256];
  __shared__ std::uint64_t arrived;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&arrived, 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived, sizeof(staged));
  }
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
  std::uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (rank == 0 && threadIdx.x == 0) {
    auto const to = static_cast<std::uint32_t>(__cvta_generic_to_shared(staged));
    auto const bar = static_cast<std::uint32_t>(__cvta_generic_to_shared(&arrived));
    std::uint16_t const blocks = 0xf;
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
        "%4;" ::"r"(to),
        "l"(in), "r"(static_cast<std::uint32_t>(sizeof(staged))), "r"(bar), "h"(blocks)
        : "memory");
  }
  while (!ptx::mbarrier_try_wait_parity(&arrived, 0)) {
  }
  out[threadIdx.x] = staged[threadIdx.x];
}
