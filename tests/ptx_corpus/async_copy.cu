// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Copies from global to shared memory that run beside the kernel: pipelines, barriers, and as assembly.
// corpus: -arch=compute_75
// corpus: -arch=compute_80 -lineinfo
// corpus: -arch=compute_90
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline_primitives.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include <cstdint>

namespace groups = cooperative_groups;

constexpr int tile_size = 256, stage_count = 3;

__global__ void scale_in_stages(float const* in, float* out, int tiles) {
  __shared__ float staged[stage_count][tile_size];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stage_count> state;
  auto const block = groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  for (int tile = 0, fetched = 0; tile < tiles; ++tile) {
    for (; fetched < tiles && fetched < tile + stage_count; ++fetched) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, staged[fetched % stage_count], in + fetched * tile_size,
                         cuda::aligned_size_t<16>(sizeof(float) * tile_size), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    out[tile * tile_size + threadIdx.x] = 2 * staged[tile % stage_count][threadIdx.x];
    pipeline.consumer_release();
  }
}

__global__ void sum_behind_barrier(int const* in, int* out) {
  __shared__ int staged[tile_size];
  __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
  if (threadIdx.x == 0) init(&arrived, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(staged + threadIdx.x, in + blockIdx.x * tile_size + threadIdx.x, sizeof(int), arrived);
  auto token = arrived.arrive();
  arrived.wait(std::move(token));
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += staged[(threadIdx.x + i) % tile_size];
  out[blockIdx.x * tile_size + threadIdx.x] = sum;
}

__global__ void reverse(int4 const* in, int4* out) {
  __shared__ int4 staged[tile_size];
  __pipeline_memcpy_async(staged + threadIdx.x, in + threadIdx.x, sizeof(int4));
  __pipeline_memcpy_async(staged + threadIdx.x, in + threadIdx.x, 8, threadIdx.x % 2 == 0 ? 8 : 0);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = staged[tile_size - 1 - threadIdx.x];
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__global__ void copy_with_hints(float const* in, float* out, int size) {
  extern __shared__ __align__(16) float row[];
  auto const to = static_cast<std::uint32_t>(__cvta_generic_to_shared(row + 4 * threadIdx.x));
  int const left = size - 4 * static_cast<int>(threadIdx.x);
  asm volatile(
      "{\n"
      "  .reg .pred inside;\n"
      "  .reg .b64 policy;\n"
      "  setp.gt.s32 inside, %2, 0;\n"
      "  createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
      "  @inside cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, policy;\n"
      "  @!inside cp.async.ca.shared.global.L2::128B [%0], [%1], 4, 0;\n"
      "}\n" ::"r"(to),
      "l"(in + 4 * threadIdx.x), "r"(left)
      : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  if (left > 0) out[4 * threadIdx.x] = row[4 * threadIdx.x + 3];
}
#endif
