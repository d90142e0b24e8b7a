// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// All spaces and ways to access them: local arrays, stack memory, constants, volatile, ordered, cached, hinted.
// corpus: -arch=compute_75
// corpus: -arch=compute_80 -G
// corpus: -arch=compute_90
// corpus: -arch=compute_100 -lineinfo
#include <alloca.h>

#include <cstdint>

__constant__ float weights[64];
__constant__ int const offsets[4] = {1, 2, 3, 5};
__device__ int counter;
__device__ int2 table[8] = {{1, 2}, {3, 4}};
__managed__ double total;
static __device__ unsigned char bytes[16] = {1, 2, 3};
extern __shared__ float dynamic[];

__global__ void constants(float* out, int which) {
  out[threadIdx.x] = weights[threadIdx.x] * weights[3] + static_cast<float>(offsets[which]);
  counter = table[which].y + bytes[which];
  total = out[0];
}

__global__ void local_array(int const* in, int* out, int which) {
  int values[32];
  for (int i = 0; i < 32; ++i) values[i] = in[i * blockDim.x + threadIdx.x];
  values[which] = 1;
  out[threadIdx.x] = values[which ^ 5] + values[in[0]];
}

__global__ void stack_memory(int* out, int count) {
  auto* const values = static_cast<int*>(alloca(static_cast<unsigned>(count) * sizeof(int)));
  for (int i = 0; i < count; ++i) values[i] = i;
  out[threadIdx.x] = values[out[threadIdx.x]];
}

__global__ void shared_and_generic(float* global, int which) {
  __shared__ float fixed[32];
  fixed[threadIdx.x] = dynamic[threadIdx.x];
  __syncthreads();
  float* const any = which ? fixed : global;
  any[threadIdx.x] += dynamic[which];
  __shared__ volatile int flag;
  flag = which;
  while (flag == which) {
  }
}

__global__ void as_volatile(int volatile* at, std::uint64_t volatile* wide, char volatile* narrow) {
  at[0] = at[1] + 1;
  wide[0] = wide[1] + 1;
  narrow[0] = narrow[1];
  narrow[2] = 3;
}

__global__ void cached(float const* in, float* out, float4 const* quads, double2* pairs) {
  out[0] = __ldg(in);
  out[1] = __ldcg(in + 1);
  out[2] = __ldca(in + 2);
  out[3] = __ldcs(in + 3);
  out[4] = __ldlu(in + 4);
  out[5] = __ldcv(in + 5);
  __stwb(out + 6, 1.0f);
  __stcg(out + 7, 1.0f);
  __stcs(out + 8, 1.0f);
  __stwt(out + 9, 1.0f);
  float4 const quad = __ldg(quads);
  out[10] = quad.x + quad.w;
  pairs[0] = __ldcs(pairs + 1);
}

__global__ void hinted(float const* __restrict__ in, float* __restrict__ out, int* ordered) {
  float x;
  asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(x) : "l"(in));
  out[0] = x;
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(ordered), "r"(1) : "memory");
  int y;
  asm volatile("ld.acquire.sys.global.s32 %0, [%1+4];" : "=r"(y) : "l"(ordered) : "memory");
  asm volatile("ld.relaxed.cta.global.s32 %0, [%1+-4];" : "=r"(y) : "l"(ordered + y) : "memory");
  asm volatile("st.relaxed.sys.global.v2.u32 [%0+8], {%1, 0};" ::"l"(ordered), "r"(y) : "memory");
  asm volatile("fence.acq_rel.gpu; membar.sys;" ::: "memory");
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in));
  asm volatile("prefetchu.L1 [%0];" ::"l"(in + 32));
  __threadfence_block();
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "{\n"
      " .reg .b64 keep, drop;\n"
      " createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 keep, 0.5;\n"
      " createpolicy.range.global.L2::evict_first.b64 drop, [%0], 4096, 8192;\n"
      " ld.global.L1::evict_first.L2::cache_hint.L2::128B.f32 %1, [%0], keep;\n"
      " st.global.L1::no_allocate.L2::cache_hint.f32 [%2], %1, drop;\n"
      " st.global.L1::evict_last.f32 [%2 + 4], %1;\n"
      "}\n" ::"l"(in),
      "f"(x), "l"(out)
      : "memory");
  asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(in) : "memory");
  asm volatile("discard.global.L2 [%0], 128;" ::"l"(out) : "memory");
#endif
#if __CUDA_ARCH__ >= 1000
  float v[8];
  asm volatile("ld.global.v8.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
               : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]), "=f"(v[4]), "=f"(v[5]), "=f"(v[6]), "=f"(v[7])
               : "l"(in + 64));
  asm volatile("st.global.v4.b64 [%0], {%1, %1, %1, %1};" ::"l"(out + 64), "l"(ordered + static_cast<int>(v[7]))
               : "memory");
#endif
}

__global__ void predicated(int const* in, int* out, int n) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int x = 0;
  asm volatile(
      "{\n"
      " .reg .pred p, q;\n"
      " setp.lt.s32 p|q, %2, %3;\n"
      " @p ld.global.s32 %0, [%1];\n"
      " @q mov.b32 %0, -1;\n"
      "}\n"
      : "+r"(x)
      : "l"(in + i), "r"(i), "r"(n));
  asm volatile(
      "{\n"
      " .reg .pred p;\n"
      " setp.ne.s32 p, %1, 0; @!p bra DONE; st.global.s32 [%0], %1; /* three in a line; */\n"
      "DONE:\n"
      "}\n" ::"l"(out + i),
      "r"(x)
      : "memory");
}
