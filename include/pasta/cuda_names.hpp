// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// CUDA's names for code written as a CUDA kernel, so that it runs on the host engine with few changed lines. They are
/// macros and global functions: include it only where a kernel is written that way. See examples/ for the change to an
/// existing kernel. Not here: `extern __shared__` arrays (pasta::dynamic_shared), shuffles of part of a warp,
/// cooperative groups, textures.
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

// These functions do not know the kernel's probe; the worker does.
inline void arrive(place const& where, barrier_scope scope) {
  if (auto* const tell = simt::current_worker()->arrive) tell(&where, scope);
}

}  // namespace pasta::cuda_names

#define threadIdx (::pasta::cuda_names::this_thread().thread_index())
#define blockIdx (::pasta::cuda_names::block().block_index())
#define blockDim (::pasta::cuda_names::block().shape().block)
#define gridDim (::pasta::cuda_names::block().shape().grid)
#define warpSize (static_cast<int>(::pasta::cuda_names::block().warp_width()))
#ifndef __global__
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __restrict__ __restrict
#endif
// A worker runs one block at a time on one CPU thread, so a thread's static variable is a block's shared variable.
#ifndef __shared__
#define __shared__ static thread_local
#endif

inline void __syncthreads(PASTA_PLACE_PARAMETERS) {
  pasta::cuda_names::arrive({PASTA_PLACE_ARGUMENTS}, pasta::barrier_scope::block);
  pasta::cuda_names::block().sync_block();
}
inline void __syncwarp(unsigned = ~0u, PASTA_PLACE_PARAMETERS) {
  pasta::place const here{PASTA_PLACE_ARGUMENTS};
  pasta::cuda_names::arrive(here, pasta::barrier_scope::warp);
  pasta::cuda_names::block().converge(
      pasta::site_key::of(here, pasta::operation::warp, pasta::memory_space::global, 0).order());
}

// Exchanges between the lanes that come here together; the mask is what CUDA asks for and is not looked at.
#define PASTA_DETAIL_SHUFFLE(name, member)                                                          \
  template <class T>                                                                                \
  T name(unsigned, T value, unsigned lane_or_distance, PASTA_PLACE_PARAMETERS) {                    \
    return pasta::cuda_names::this_thread().member(value, lane_or_distance, PASTA_PLACE_FORWARDED); \
  }
PASTA_DETAIL_SHUFFLE(__shfl_sync, shuffle)
PASTA_DETAIL_SHUFFLE(__shfl_up_sync, shuffle_up)
PASTA_DETAIL_SHUFFLE(__shfl_down_sync, shuffle_down)
PASTA_DETAIL_SHUFFLE(__shfl_xor_sync, shuffle_xor)
#undef PASTA_DETAIL_SHUFFLE
inline unsigned __ballot_sync(unsigned, int condition, PASTA_PLACE_PARAMETERS) {
  return static_cast<unsigned>(pasta::cuda_names::this_thread().ballot(condition != 0, PASTA_PLACE_FORWARDED));
}
inline int __any_sync(unsigned, int condition, PASTA_PLACE_PARAMETERS) {
  return pasta::cuda_names::this_thread().any(condition != 0, PASTA_PLACE_FORWARDED) ? 1 : 0;
}
inline int __all_sync(unsigned, int condition, PASTA_PLACE_PARAMETERS) {
  return pasta::cuda_names::this_thread().all(condition != 0, PASTA_PLACE_FORWARDED) ? 1 : 0;
}

// Atomic operations on an element of a traced array; each gives the value before.
#define PASTA_DETAIL_ATOMIC(name, member)                                 \
  template <class T, class Probe, class V>                                \
  T name(pasta::traced_reference<T, Probe> const& target, V value) {      \
    return pasta::cuda_names::this_thread<Probe>().member(target, value); \
  }                                                                       \
  template <class T, class V>                                             \
  requires std::is_arithmetic_v<T> T name(T& target, V value) {           \
    return pasta::cuda_names::this_thread().member(target, value);        \
  }
PASTA_DETAIL_ATOMIC(atomicAdd, atomic_add)
PASTA_DETAIL_ATOMIC(atomicSub, atomic_sub)
PASTA_DETAIL_ATOMIC(atomicMin, atomic_min)
PASTA_DETAIL_ATOMIC(atomicMax, atomic_max)
PASTA_DETAIL_ATOMIC(atomicExch, atomic_exchange)
PASTA_DETAIL_ATOMIC(atomicAnd, atomic_and)
PASTA_DETAIL_ATOMIC(atomicOr, atomic_or)
#undef PASTA_DETAIL_ATOMIC

#endif
#endif
