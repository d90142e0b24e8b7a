// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Kernels with every event that the GPU's architecture has.
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdio>

__device__ int (*chosen)(int);

__noinline__ __device__ int leave_or_add(int value) {
  if (value < 0) asm volatile("exit;");
  return value + 1;
}
__noinline__ __device__ int add(int value) { return value + 2; }

extern "C" __global__ void calls(int* data, int n) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  int value = data[i];
  for (int k = 0; k < n; ++k) {
    if ((value & 1) != 0) value = leave_or_add(value);
    __syncwarp();
  }
  chosen = value > 5 ? leave_or_add : add;
  if (value == 77) printf("%d\n", value);
  data[i] = chosen(value);
}

extern "C" __global__ void barriers(int* data) {
  __shared__ int tile[256];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  int const sum = __syncthreads_count(tile[255 - threadIdx.x] > 3);
  if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  data[threadIdx.x] = tile[threadIdx.x ^ 1] + sum;
}

extern "C" __global__ void products(half const* a, half const* b, float* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> left;
  fragment<matrix_b, 16, 16, 16, half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  load_matrix_sync(left, a, 16);
  load_matrix_sync(right, b, 16);
  mma_sync(sum, left, right, sum);
  store_matrix_sync(c, sum, 16, mem_row_major);
  float d[8] = {};
  unsigned x = threadIdx.x;
  asm volatile(
      "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %8}, {%8, %8}, "
      "{%0, %1, %2, %3, %4, %5, %6, %7};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
      : "r"(x));
  c[threadIdx.x] += d[0];
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void copies(int const* from, int* to, int bytes) {
  __shared__ alignas(16) int tile[1024];
  auto const at = static_cast<unsigned>(__cvta_generic_to_shared(tile + 4 * threadIdx.x));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from + 4 * threadIdx.x), "r"(bytes));
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], 4; }" ::"r"(at),
               "l"(from), "r"(bytes));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  to[threadIdx.x] = tile[threadIdx.x];
}
#endif
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void bulk_copies(int const* from, int* to, int bytes) {
  __shared__ alignas(128) int tile[1024];
  __shared__ alignas(8) unsigned long long arrived;
  auto const at = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  auto const barrier = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier));
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at),
               "l"(from), "r"(bytes), "r"(barrier));
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes));
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  to[threadIdx.x] = tile[threadIdx.x];
}
#endif
