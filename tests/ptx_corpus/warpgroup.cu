// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A product in the manner of big libraries: one warp group fetches by tensor copies, two multiply by wgmma.
// corpus: -arch=compute_90a
// corpus: -arch=compute_90a -lineinfo
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda/ptx>

#include <cstdint>

namespace ptx = cuda::ptx;

constexpr int stage_count = 4, rows = 128, columns = 64, depth = 64;

struct stage {
  alignas(1024) half a[rows * depth];
  alignas(1024) half b[columns * depth];
};

struct shared_memory {
  stage stages[stage_count];
  std::uint64_t full[stage_count], empty[stage_count];
};

// What wgmma takes for the address of a matrix in shared memory: rows of 128 bytes, swizzled.
__device__ std::uint64_t describe(void const* matrix) {
  auto const address = static_cast<std::uint32_t>(__cvta_generic_to_shared(matrix));
  return (static_cast<std::uint64_t>(address & 0x3ffff) >> 4) | (1ull << 16) | (64ull << 32) | (1ull << 62);
}

__device__ void multiply(float (&sum)[32], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
      "{%0,   %1,   %2,   %3,   %4,   %5,   %6,   %7,   "
      " %8,   %9,   %10,  %11,  %12,  %13,  %14,  %15,  "
      " %16,  %17,  %18,  %19,  %20,  %21,  %22,  %23,  "
      " %24,  %25,  %26,  %27,  %28,  %29,  %30,  %31},"
      " %32,"
      " %33,"
      " p,   1,  1, 0, 0;\n"
      "}\n"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]), "+f"(sum[7]),
        "+f"(sum[8]), "+f"(sum[9]), "+f"(sum[10]), "+f"(sum[11]), "+f"(sum[12]), "+f"(sum[13]), "+f"(sum[14]),
        "+f"(sum[15]), "+f"(sum[16]), "+f"(sum[17]), "+f"(sum[18]), "+f"(sum[19]), "+f"(sum[20]), "+f"(sum[21]),
        "+f"(sum[22]), "+f"(sum[23]), "+f"(sum[24]), "+f"(sum[25]), "+f"(sum[26]), "+f"(sum[27]), "+f"(sum[28]),
        "+f"(sum[29]), "+f"(sum[30]), "+f"(sum[31])
      : "l"(a), "l"(b), "r"(1));
}

__global__ void __launch_bounds__(384, 1)
    product(__grid_constant__ CUtensorMap const a, __grid_constant__ CUtensorMap const b, half* c, int n, int k) {
  extern __shared__ __align__(1024) unsigned char raw[];
  auto& shared = *reinterpret_cast<shared_memory*>(raw);
  if (threadIdx.x == 0) {
    for (int i = 0; i < stage_count; ++i) {
      ptx::mbarrier_init(&shared.full[i], 1);
      ptx::mbarrier_init(&shared.empty[i], 2);
    }
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  int const steps = k / depth;
  unsigned const group = threadIdx.x / 128;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x != 0) return;
    for (int step = 0; step < steps; ++step) {
      int const at = step % stage_count;
      unsigned const parity = step / stage_count % 2;
      while (!ptx::mbarrier_try_wait_parity(&shared.empty[at], parity ^ 1)) {
      }
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &shared.full[at],
                                     sizeof(stage::a) + sizeof(stage::b));
      int const place_a[2] = {step * depth, static_cast<int>(blockIdx.x) * rows};
      int const place_b[2] = {step * depth, static_cast<int>(blockIdx.y) * columns};
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, shared.stages[at].a, &a, place_a,
                                &shared.full[at]);
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, shared.stages[at].b, &b, place_b,
                                &shared.full[at]);
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  float sum[32] = {};
  for (int step = 0; step < steps; ++step) {
    int const at = step % stage_count;
    while (!ptx::mbarrier_try_wait_parity(&shared.full[at], step / stage_count % 2)) {
    }
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int i = 0; i < depth; i += 16) {
      multiply(sum, describe(shared.stages[at].a + (group - 1) * 64 * depth + i), describe(shared.stages[at].b + i));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (threadIdx.x % 128 == 0) ptx::mbarrier_arrive(&shared.empty[at]);
  }
  std::size_t const row = blockIdx.x * rows + (group - 1) * 64 + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
  std::size_t const column = blockIdx.y * columns + threadIdx.x % 4 * 2;
  for (int i = 0; i < 32; i += 4) {
    auto const to = c + row * n + column + i * 2;
    *reinterpret_cast<half2*>(to) = __floats2half2_rn(sum[i], sum[i + 1]);
    *reinterpret_cast<half2*>(to + 8 * n) = __floats2half2_rn(sum[i + 2], sum[i + 3]);
  }
}
