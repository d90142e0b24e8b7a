// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// HIP's vectors, and the words that stand before functions and variables.
#ifndef PASTA_TESTS_EMULATION_HIP_EMULATED_TYPES_H
#define PASTA_TESTS_EMULATION_HIP_EMULATED_TYPES_H

#include <cstddef>
#include <cstdint>

#ifdef __clang__
#define __global__ __attribute__((annotate("pasta.kernel")))
#else
#define __global__
#endif
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
// A worker thread runs one block at a time, so its own variables are the block's.
#define __shared__ static thread_local
#define HIP_DYNAMIC_SHARED(type, name) constexpr ::hip_emulation::dynamic_array<type> name;
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(name) (name)

#define PASTA_DETAIL_VECTORS(element, name)                                               \
  struct name##1 {                                                                        \
    element x;                                                                            \
  };                                                                                      \
  struct alignas(2 * sizeof(element)) name##2 {                                           \
    element x, y;                                                                         \
  };                                                                                      \
  struct name##3 {                                                                        \
    element x, y, z;                                                                      \
  };                                                                                      \
  struct alignas(4 * sizeof(element) < 16 ? 4 * sizeof(element) : 16) name##4 {           \
    element x, y, z, w;                                                                   \
  };                                                                                      \
  constexpr name##1 make_##name##1(element x) { return {x}; }                             \
  constexpr name##2 make_##name##2(element x, element y) { return {x, y}; }               \
  constexpr name##3 make_##name##3(element x, element y, element z) { return {x, y, z}; } \
  constexpr name##4 make_##name##4(element x, element y, element z, element w) { return {x, y, z, w}; }
PASTA_DETAIL_VECTORS(signed char, char)
PASTA_DETAIL_VECTORS(unsigned char, uchar)
PASTA_DETAIL_VECTORS(short, short)
PASTA_DETAIL_VECTORS(unsigned short, ushort)
PASTA_DETAIL_VECTORS(int, int)
PASTA_DETAIL_VECTORS(unsigned, uint)
PASTA_DETAIL_VECTORS(long long, longlong)
PASTA_DETAIL_VECTORS(unsigned long long, ulonglong)
PASTA_DETAIL_VECTORS(float, float)
PASTA_DETAIL_VECTORS(double, double)
#undef PASTA_DETAIL_VECTORS

struct dim3 {
  std::uint32_t x, y, z;
  constexpr dim3(std::uint32_t x_ = 1, std::uint32_t y_ = 1, std::uint32_t z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 of) : x(of.x), y(of.y), z(of.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

#endif
