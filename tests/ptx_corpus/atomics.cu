// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Atomic operations of every kind, size, scope and order.
// corpus: -arch=compute_75
// corpus: -arch=compute_90
// corpus: -arch=compute_90 -G
// corpus: -arch=compute_120
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda/atomic>

#include <cstdint>

template <class T>
__global__ void exchange_all(T* at, T value) {
  T const old = atomicExch(at, value);
  T const seen = atomicCAS(at + 1, old, value);
  atomicExch_block(at + 2, seen);
  at[3] = atomicCAS_system(at + 4, seen, old);
}

template <class T>
__global__ void integers(T* at, T value) {
  extern __shared__ unsigned char raw[];
  T* const shared = reinterpret_cast<T*>(raw);
  shared[threadIdx.x] = value;
  __syncthreads();
  atomicAdd(shared, value);
  atomicMax(shared + 1, value);
  at[0] = atomicMin(shared + 2, value) + atomicCAS(shared + 3, value, shared[4]);
  atomicAdd(at + 1, value);          // the result is not used: red
  at[2] = atomicAdd(at + 3, value);  // it is: atom
  at[4] = atomicMin_block(at + 5, value);
  atomicMax_system(at + 6, value);
  atomicAnd(at + 7, value);
  at[8] = atomicOr(at + 9, value);
  atomicXor_block(at + 10, value);
  if (value > 3) at[11] = atomicExch(at + 12, value);
}

template __global__ void integers(int*, int);
template __global__ void integers(unsigned*, unsigned);
template __global__ void integers(unsigned long long*, unsigned long long);
template __global__ void exchange_all(unsigned*, unsigned);
template __global__ void exchange_all(unsigned long long*, unsigned long long);

__global__ void signed_and_wide(long long* at, long long value) {
  at[0] = atomicMin(at + 1, value);
  atomicMax(at + 2, value);
  atomicAnd(at + 3, value);
  at[4] = atomicOr_block(at + 5, value);
  atomicXor_system(at + 6, value);
}

__global__ void narrow_and_floating(unsigned* u, float* f, double* d, half2* h, __nv_bfloat162* b, unsigned short* s) {
  u[0] = atomicInc(u + 1, 9);
  atomicDec(u + 2, 9);
  u[3] = atomicSub(u + 4, 2u);
  f[0] = atomicAdd(f + 1, 2.0f);
  atomicAdd_block(f + 2, 1.0f);
  d[0] = atomicAdd(d + 1, 2.0);
  atomicAdd_system(d + 2, 1.0);
  h[0] = atomicAdd(h + 1, h[2]);
  b[0] = atomicAdd(b + 1, b[2]);
  s[0] = atomicCAS(s + 1, s[2], s[3]);
}

__global__ void ordered(int* at, std::uint64_t* wide) {
  cuda::atomic_ref<int, cuda::thread_scope_device> device(at[0]);
  cuda::atomic_ref<int, cuda::thread_scope_block> block(at[1]);
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system> system(wide[0]);
  device.fetch_add(1, cuda::memory_order_relaxed);
  at[2] = device.fetch_add(1, cuda::memory_order_acq_rel);
  block.fetch_max(at[3], cuda::memory_order_release);
  at[4] = block.load(cuda::memory_order_acquire);
  system.store(7, cuda::memory_order_release);
  wide[1] = system.fetch_xor(5);
  int expected = 3;
  while (!device.compare_exchange_weak(expected, expected + 1, cuda::memory_order_acquire)) {
  }
  at[5] = device.exchange(4, cuda::memory_order_relaxed);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void vectors(float2* pairs, float4* quads, float* words) {
  pairs[0] = atomicAdd(pairs + 1, pairs[2]);
  quads[0] = atomicAdd(quads + 1, quads[2]);
  atomicAdd(quads + 3, quads[4]);
  asm volatile("red.global.v4.f16x2.add.noftz [%0], {%1, %1, %1, %1};" ::"l"(words), "r"(7) : "memory");
  float x, y;
  asm volatile("atom.global.gpu.relaxed.v2.f32.add {%0, %1}, [%2], {%3, %3};"
               : "=f"(x), "=f"(y)
               : "l"(words + 8), "f"(words[2])
               : "memory");
  words[0] = x + y;
}

struct alignas(16) wide {
  std::uint64_t low, high;
};

__global__ void wide_words(wide* at) {
  wide const old = atomicExch(at, at[1]);
  at[2] = atomicCAS(at + 3, old, at[4]);
}
#endif

__global__ void assembly(unsigned* at, std::uint64_t* wide, int use) {
  asm volatile("red.relaxed.cta.global.add.u32 [%0+4], %1;" ::"l"(at), "r"(2) : "memory");
  asm volatile(
      "{\n"
      "\t.reg .pred p; .reg .b32 old;\n"
      "\tsetp.ne.s32 p, %2, 0;\n"
      "\t@p  atom.acq_rel.gpu.global.cas.b32 old, [%0], %2, 5;\n"
      "\t@!p red.release.sys.global.min.u64 [%1 + 8], 3;\n"
      "}\n" ::"l"(at),
      "l"(wide), "r"(use)
      : "memory");
}
