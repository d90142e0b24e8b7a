// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a lane knows of itself, and what it can do alone.
#ifndef PASTA_TESTS_EMULATION_HIP_EMULATED_DEVICE_H
#define PASTA_TESTS_EMULATION_HIP_EMULATED_DEVICE_H

#include <cmath>

#include "hip/emulated_types.h"

namespace hip_emulation {

/// Of the calling lane. @throw std::logic_error outside of a kernel
uint3 thread_index();
uint3 block_index();
dim3 block_size();
dim3 grid_size();
std::uint32_t lane_number();
/// Lanes of a wave of the current device; anywhere.
std::uint32_t wave_width();

/// The block's dynamic shared memory.
void* dynamic_shared();
bool is_shared(void const* address);   ///< static or dynamic
bool is_private(void const* address);  ///< on the lane's own stack

/// Waits for the other lanes of the block that have not ended.
void sync_block();
/// 100 MHz.
long long wall_clock();
/// The number of the launch that the calling lane is of, from 0: there is one queue.
std::uint64_t dispatch_number();

/// `extern __shared__ T name[]`: the dynamic shared memory as elements of T.
template <class T>
struct dynamic_array {
  operator T*() const { return static_cast<T*>(dynamic_shared()); }
};

}  // namespace hip_emulation

#define threadIdx (::hip_emulation::thread_index())
#define blockIdx (::hip_emulation::block_index())
#define blockDim (::hip_emulation::block_size())
#define gridDim (::hip_emulation::grid_size())
// No macro: properties of devices have a member of the name.
inline constexpr struct {
  operator int() const { return static_cast<int>(::hip_emulation::wave_width()); }
} warpSize;

#ifdef __clang__
__attribute__((annotate("pasta.barrier")))
#endif
inline void
__syncthreads() {
  ::hip_emulation::sync_block();
}
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline unsigned __lane_id() { return ::hip_emulation::lane_number(); }
inline long long wall_clock64() { return ::hip_emulation::wall_clock(); }
inline long long clock64() { return ::hip_emulation::wall_clock(); }

inline int __popc(unsigned word) { return __builtin_popcount(word); }
inline int __popcll(unsigned long long word) { return __builtin_popcountll(word); }
inline int __ffs(unsigned word) { return __builtin_ffs(static_cast<int>(word)); }
inline int __ffsll(unsigned long long word) { return __builtin_ffsll(static_cast<long long>(word)); }
inline int __clz(unsigned word) { return word == 0 ? 32 : __builtin_clz(word); }
inline int __clzll(unsigned long long word) { return word == 0 ? 64 : __builtin_clzll(word); }
inline float __fdividef(float a, float b) { return a / b; }
inline float rsqrtf(float a) { return 1 / std::sqrt(a); }
inline float __ldg(float const* from) { return *from; }

// HIP has them for numbers of one type, without a namespace.
template <class T>
constexpr T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T max(T a, T b) {
  return a < b ? b : a;
}

#define address_space(number) may_alias  // an attribute of pointers; here all memory is one
#define __builtin_amdgcn_is_shared(address) (::hip_emulation::is_shared(address))
#define __builtin_amdgcn_is_private(address) (::hip_emulation::is_private(address))
#define PASTA_DISPATCH_ID() (::hip_emulation::dispatch_number())
#define PASTA_QUEUE() (std::uint64_t{1})
#define PASTA_OF_FIRST_LANE(half) (half)  // no need to wait for the others
#define PASTA_IN_DEVICE_MEMORY
#define __builtin_amdgcn_s_sleep(cycles) (static_cast<void>(cycles))

#endif
