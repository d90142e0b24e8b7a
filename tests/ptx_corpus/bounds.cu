// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What is declared beside a kernel: bounds of its launch, registers, large parameters, kinds of linkage.
// corpus: -arch=compute_75
// corpus: -arch=compute_90 -lineinfo
// corpus: -arch=compute_90 -rdc=true
// corpus: -arch=compute_90 -maxrregcount=40
#include <cstdint>

struct big {
  float values[1023];
  int last;
};
struct alignas(16) mixed {
  char a;
  short b;
  double c;
  float4 d;
};

__global__ void by_constant(__grid_constant__ big const x, float* out, int which) {
  out[threadIdx.x] = x.values[threadIdx.x] + x.values[which] + static_cast<float>(x.last);
}

__global__ void by_copy(big x, float* out, int which) {
  x.values[which] = 3;
  out[threadIdx.x] = x.values[threadIdx.x];
}

__global__ void __launch_bounds__(256) at_most_256(int* at) { at[threadIdx.x] *= 2; }
__global__ void __launch_bounds__(512, 2) at_least_two(int* at) { at[threadIdx.x] *= 2; }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void __launch_bounds__(128, 2, 8) in_clusters(int* at) { at[threadIdx.x] *= 2; }
__global__ void __cluster_dims__(2, 2) __launch_bounds__(64) of_four(int* at) { at[threadIdx.x] *= 2; }
#endif
__global__ void __maxnreg__(32) few_registers(float const* in, float* out, int n) {
  float sum[24];
#pragma unroll
  for (int i = 0; i < 24; ++i) sum[i] = in[i];
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int i = 0; i < 24; ++i) sum[i] = sum[i] * in[k * 24 + i] + sum[(i + 1) % 24];
  }
#pragma unroll
  for (int i = 0; i < 24; ++i) out[threadIdx.x * 24 + i] = sum[i];
}

extern "C" __global__ void plain_name(int* at) { *at = 1; }
extern "C" __global__ void no_parameters() {}
namespace {
__global__ void hidden(int* at) { *at = 2; }
}  // namespace
void* address_of_hidden() { return reinterpret_cast<void*>(&hidden); }

template <class... Ts>
struct a_type_with_a_long_name {};
template <class A, class B>
__global__ void long_name(B* at) {
  *at = sizeof(A);
}
using nested = a_type_with_a_long_name<a_type_with_a_long_name<int, float, a_type_with_a_long_name<char>>,
                                       a_type_with_a_long_name<a_type_with_a_long_name<unsigned long long, bool[17]>>>;
template __global__ void long_name<a_type_with_a_long_name<nested, nested*, nested const&>>(int*);

__global__ void mixed_parameters(mixed x, bool flag, unsigned char byte, std::uint64_t wide, float3 three,
                                 double* out) {
  out[0] = flag ? x.c : x.a + x.b;
  out[1] =
      static_cast<double>(byte) + static_cast<double>(wide) + static_cast<double>(three.z) + static_cast<double>(x.d.w);
}
