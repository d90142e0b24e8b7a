// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Products of small matrices: wmma, mma.sync, ldmatrix, stmatrix.
// corpus: -arch=compute_75
// corpus: -arch=compute_80
// corpus: -arch=compute_90 -lineinfo
// corpus: -arch=compute_120
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>

__global__ void wmma_product(half const* a, half const* b, float* c, int n) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(left, a + blockIdx.x * 16 * n + k, n);
    wmma::load_matrix_sync(right, b + blockIdx.y * 16 * n + k, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + blockIdx.x * 16 * n + blockIdx.y * 16, sum, n, wmma::mem_row_major);
}

__device__ std::uint32_t shared_address(void const* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__global__ void mma_product(half const* a, half const* b, float* c, int n) {
  __shared__ alignas(16) half left[16][16], right[8][16];
  unsigned const lane = threadIdx.x;
  float sum[4] = {};
  for (int k = 0; k < n; k += 16) {
    for (unsigned i = lane; i < 256; i += 32) left[i / 16][i % 16] = a[i / 16 * n + k + i % 16];
    for (unsigned i = lane; i < 128; i += 32) right[i / 16][i % 16] = b[i / 16 * n + k + i % 16];
    __syncwarp();
    std::uint32_t x[4], y[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(shared_address(&left[lane % 16][lane / 16 * 8]))
                 : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(y[0]), "=r"(y[1])
                 : "r"(shared_address(&right[lane % 8][lane / 8 % 2 * 8]))
                 : "memory");
#if __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
#else
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(x[0]), "r"(x[1]), "r"(y[0]));
#endif
    __syncwarp();
  }
  for (int i = 0; i < 4; ++i) c[lane * 4 + i] = sum[i];
}

__global__ void integer_product(std::uint32_t const* a, std::uint32_t const* b, int* c) {
  int sum[2] = {};
  asm volatile("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+r"(sum[0]), "+r"(sum[1])
               : "r"(a[threadIdx.x]), "r"(b[threadIdx.x]));
  reinterpret_cast<int2*>(c)[threadIdx.x] = make_int2(sum[0], sum[1]);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__global__ void sparse_product(uint2 const* a, uint2 const* b, std::uint32_t const* which, float4* c) {
  float4 sum = {};
  uint2 const x = a[threadIdx.x], y = b[threadIdx.x];
  asm volatile(
      "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, 0x0;"
      : "+f"(sum.x), "+f"(sum.y), "+f"(sum.z), "+f"(sum.w)
      : "r"(x.x), "r"(x.y), "r"(y.x), "r"(y.y), "r"(which[threadIdx.x]));
  c[threadIdx.x] = sum;
}

__global__ void double_product(double const* a, double const* b, double2* c) {
  double2 sum = {};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(sum.x), "+d"(sum.y)
               : "d"(a[threadIdx.x]), "d"(b[threadIdx.x]));
  c[threadIdx.x] = sum;
}
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void transpose_in_place(std::uint32_t* inout) {
  __shared__ alignas(16) std::uint32_t tile[4][32];
  uint4 const x = reinterpret_cast<uint4 const*>(inout)[threadIdx.x];
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   shared_address(&tile[threadIdx.x / 8][threadIdx.x % 8 * 4])),
               "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w)
               : "memory");
  __syncwarp();
  for (int i = 0; i < 4; ++i) inout[i * 32 + threadIdx.x] = tile[i][threadIdx.x];
}
#endif
