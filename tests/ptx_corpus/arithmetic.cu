// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Arithmetic of all types, and loops whose products and sums are fused.
// corpus: -arch=compute_75
// corpus: -arch=compute_100
// corpus: -arch=compute_90 -use_fast_math
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>

template <class T>
__global__ void product(T const* a, T const* b, T* c, int n) {
  T sum = 0;
  for (int k = 0; k < n; ++k) sum += a[blockIdx.x * n + k] * b[k * n + threadIdx.x];
  c[blockIdx.x * n + threadIdx.x] = sum;
}
template __global__ void product(float const*, float const*, float*, int);
template __global__ void product(double const*, double const*, double*, int);
template __global__ void product(std::int64_t const*, std::int64_t const*, std::int64_t*, int);
template __global__ void product(std::int8_t const*, std::int8_t const*, std::int8_t*, int);
template __global__ void product(std::uint16_t const*, std::uint16_t const*, std::uint16_t*, int);

__global__ void halves(half2 const* in, half2* out, __nv_bfloat162* bf, __nv_fp8x4_e4m3* small) {
  half2 const x = __hfma2(in[0], in[1], in[2]);
  out[0] = h2sin(x);
  bf[0] = __hmul2(bf[1], bf[2]);
  small[0] = __nv_fp8x4_e4m3(make_float4(__half2float(x.x), __half2float(x.y), 1, 2));
}

__global__ void functions(float const* in, float* out, double* d) {
  out[0] = sinf(in[0]) + expf(in[1]) + powf(in[2], in[3]);
  out[1] = __expf(in[0]) + __fdividef(in[1], in[2]) + rsqrtf(in[3]);
  d[0] = erf(d[1]) / log1p(d[2]);
  d[3] = fmod(d[4], d[5]);
}

__global__ void integers(std::uint32_t const* in, std::uint32_t* out, __int128* wide, char4* bytes) {
  out[0] =
      __brev(in[0]) + static_cast<std::uint32_t>(__clz(static_cast<int>(in[1]))) + __byte_perm(in[2], in[3], 0x3210);
  out[1] = __dp4a(in[4], in[5], in[6]) + __vadd4(in[0], in[1]) + __umulhi(in[2], in[3]);
  out[2] = __funnelshift_l(in[0], in[1], 7) + in[3] / 10 + in[4] % in[5] + __vabsdiffu4(in[1], in[2]);
  wide[0] = wide[1] * wide[2] + wide[3] / wide[4];
  bytes[0] = make_char4(bytes[1].x, bytes[2].y, 3, bytes[1].w);
}

// Elements that lie beside each other: loads of 2, 4, 8 and 16 bytes.
struct rgb {
  unsigned char r, g, b;
};
__global__ void unusual_sizes(rgb const* in, rgb* out, ushort2* two, uchar4* four, uint2* eight, ulonglong2* sixteen) {
  out[threadIdx.x] = in[blockDim.x - threadIdx.x];
  two[0] = two[1];
  four[0] = four[1];
  eight[0] = eight[1];
  sixteen[0] = sixteen[1];
}
