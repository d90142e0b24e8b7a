// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// CUDA's names for code written as a CUDA kernel, so that it runs on the host engine with few changed lines. They are
/// macros and global functions: include it only where a kernel is written that way. See examples/ for the change to an
/// existing kernel.
#ifndef PASTA_CUDA_NAMES_HPP
#define PASTA_CUDA_NAMES_HPP

#include <pasta/pasta.hpp>

namespace pasta::cuda_names {

inline simt::block_runner& block() { return simt::current_worker()->block; }
inline dim3 thread_index() { return thread<no_probe>(block(), block().thread()).thread_index(); }

// These functions do not know the kernel's probe; the worker does.
inline void arrive(place const& where, barrier_scope scope) {
  if (auto* const tell = simt::current_worker()->arrive) tell(&where, scope);
}

}  // namespace pasta::cuda_names

#define threadIdx (::pasta::cuda_names::thread_index())
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

/// Atomic operations on an element of a traced array, or on plain memory.
template <class T, class Probe, class V>
T atomicAdd(pasta::traced_reference<T, Probe> const& target, V value) {
  return pasta::thread<Probe>(pasta::cuda_names::block(), pasta::cuda_names::block().thread())
      .atomic_add(target, value);
}

#endif
