// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// CUDA's names for code written as a CUDA kernel, so that it runs on the host engine with few changed lines (the probe
/// route) or none (the llvm route). They are macros and global functions: include it only where a kernel is written
/// that way. See examples/ for the change to an existing kernel. Not here: `extern __shared__` arrays
/// (pasta::cuda_names::dynamic_shared, pasta::dynamic_shared), shuffles of part of a warp, cooperative groups,
/// textures.
#ifndef PASTA_CUDA_NAMES_HPP
#define PASTA_CUDA_NAMES_HPP

#include <pasta/config.hpp>

#if PASTA_DETAIL_IS_CUDA
#error "pasta/cuda_names.hpp is for the host engine: nvcc has these names of its own"
#else

#include <pasta/pasta.hpp>

namespace pasta::cuda_names {

inline simt::block_runner& block() { return simt::current_worker()->block; }

template <class Probe = no_probe>
thread<Probe> this_thread() {
  return thread<Probe>(simt::lane(block(), block().thread()));
}

// The same during a lane's life.
PASTA_KERNEL_CONSTANT inline dim3 thread_index() { return this_thread().thread_index(); }
PASTA_KERNEL_CONSTANT inline dim3 block_index() { return block().block_index(); }
PASTA_KERNEL_CONSTANT inline dim3 block_size() { return block().shape().block; }
PASTA_KERNEL_CONSTANT inline dim3 grid_size() { return block().shape().grid; }
PASTA_KERNEL_CONSTANT inline int warp_width() { return static_cast<int>(block().warp_width()); }
/// The block's dynamic shared memory, launch_config::shared_bytes.
template <class T>
PASTA_KERNEL_CONSTANT T* dynamic_shared() {
  return static_cast<T*>(block().shared().dynamic());
}

// These functions do not know the kernel's probe; the worker does.
inline void arrive(place const& where, barrier_scope scope) {
  if (auto* const tell = simt::current_worker()->arrive) tell(&where, scope);
}
template <class T>
void access_atomically(place const& where, T const* target) {
  simt::worker& self = *simt::current_worker();
  if (self.access == nullptr) return;
  self.access(&where, access_kind::atomic, simt::space_of(self.block, target), target, sizeof(T));
}

PASTA_KERNEL_CALL inline void sync_block(PASTA_PLACE_PARAMETERS) {
  arrive({PASTA_PLACE_ARGUMENTS}, barrier_scope::block);
  block().sync_block();
}
PASTA_KERNEL_CALL inline void sync_warp(PASTA_PLACE_PARAMETERS) {
  place const here{PASTA_PLACE_ARGUMENTS};
  arrive(here, barrier_scope::warp);
  block().converge(site_key::of(here, operation::warp, memory_space::global, 0).order());
}

}  // namespace pasta::cuda_names

#define threadIdx (::pasta::cuda_names::thread_index())
#define blockIdx (::pasta::cuda_names::block_index())
#define blockDim (::pasta::cuda_names::block_size())
#define gridDim (::pasta::cuda_names::grid_size())
#define warpSize (::pasta::cuda_names::warp_width())
#ifndef __global__
#define __global__ PASTA_PLAIN_KERNEL
#define __device__
#define __host__
#define __forceinline__ inline
#define __restrict__ __restrict
#endif
// A worker runs one block at a time on one CPU thread, so a thread's static variable is a block's shared variable.
#ifndef __shared__
#define __shared__ static thread_local
#endif

inline void __syncthreads(PASTA_PLACE_PARAMETERS) { pasta::cuda_names::sync_block(PASTA_PLACE_FORWARDED); }
inline void __syncwarp(unsigned = ~0u, PASTA_PLACE_PARAMETERS) { pasta::cuda_names::sync_warp(PASTA_PLACE_FORWARDED); }

// Exchanges between the lanes that come here together; the mask is what CUDA asks for and is not looked at.
#define PASTA_DETAIL_SHUFFLE(name, member)                                                          \
  template <class T>                                                                                \
  PASTA_KERNEL_CALL T name(unsigned, T value, unsigned lane_or_distance, PASTA_PLACE_PARAMETERS) {  \
    return pasta::cuda_names::this_thread().member(value, lane_or_distance, PASTA_PLACE_FORWARDED); \
  }
PASTA_DETAIL_SHUFFLE(__shfl_sync, shuffle)
PASTA_DETAIL_SHUFFLE(__shfl_up_sync, shuffle_up)
PASTA_DETAIL_SHUFFLE(__shfl_down_sync, shuffle_down)
PASTA_DETAIL_SHUFFLE(__shfl_xor_sync, shuffle_xor)
#undef PASTA_DETAIL_SHUFFLE
PASTA_KERNEL_CALL inline unsigned __ballot_sync(unsigned, int condition, PASTA_PLACE_PARAMETERS) {
  return static_cast<unsigned>(pasta::cuda_names::this_thread().ballot(condition != 0, PASTA_PLACE_FORWARDED));
}
PASTA_KERNEL_CALL inline int __any_sync(unsigned, int condition, PASTA_PLACE_PARAMETERS) {
  return pasta::cuda_names::this_thread().any(condition != 0, PASTA_PLACE_FORWARDED) ? 1 : 0;
}
PASTA_KERNEL_CALL inline int __all_sync(unsigned, int condition, PASTA_PLACE_PARAMETERS) {
  return pasta::cuda_names::this_thread().all(condition != 0, PASTA_PLACE_FORWARDED) ? 1 : 0;
}

// Atomic operations on an element of a traced array, or on what a pointer points to (tools see both), or on a variable;
// each gives the value before.
#define PASTA_DETAIL_ATOMIC(name, member)                                                                 \
  template <class T, class Probe, class V>                                                                \
  T name(pasta::traced_reference<T, Probe> const& target, V value) {                                      \
    return pasta::cuda_names::this_thread<Probe>().member(target, value);                                 \
  }                                                                                                       \
  template <class T, class V>                                                                             \
  requires std::is_arithmetic_v<T> T name(T& target, V value) {                                           \
    return pasta::cuda_names::this_thread().member(target, value);                                        \
  }                                                                                                       \
  template <class T, class V>                                                                             \
  requires std::is_arithmetic_v<T> PASTA_KERNEL_CALL T name(T* target, V value, PASTA_PLACE_PARAMETERS) { \
    pasta::cuda_names::access_atomically({PASTA_PLACE_ARGUMENTS}, target);                                \
    return pasta::cuda_names::this_thread().member(*target, value);                                       \
  }
PASTA_DETAIL_ATOMIC(atomicAdd, atomic_add)
PASTA_DETAIL_ATOMIC(atomicSub, atomic_sub)
PASTA_DETAIL_ATOMIC(atomicMin, atomic_min)
PASTA_DETAIL_ATOMIC(atomicMax, atomic_max)
PASTA_DETAIL_ATOMIC(atomicExch, atomic_exchange)
PASTA_DETAIL_ATOMIC(atomicAnd, atomic_and)
PASTA_DETAIL_ATOMIC(atomicOr, atomic_or)
#undef PASTA_DETAIL_ATOMIC

template <class T, class V, class W>
requires std::is_arithmetic_v<T> PASTA_KERNEL_CALL T atomicCAS(T* target, V expected, W desired,
                                                               PASTA_PLACE_PARAMETERS) {
  pasta::cuda_names::access_atomically({PASTA_PLACE_ARGUMENTS}, target);
  return pasta::cuda_names::this_thread().atomic_compare_exchange(*target, static_cast<T>(expected),
                                                                  static_cast<T>(desired));
}

#endif
#endif
