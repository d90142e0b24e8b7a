// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A lock in a GPU's memory, taken by operations that do not answer. Device code, for hooks.
///
/// ptxas (13.0) puts YIELD where lanes wait for an operation that answers (atom, also a volatile load): lanes that wait
/// for those behind a branch then go on without them, and the accesses that follow are made apart. It does so nowhere
/// where lanes only add, and read behind a fence.
#ifndef PASTA_ANALYSIS_CUDA_QUIET_LOCK_HPP
#define PASTA_ANALYSIS_CUDA_QUIET_LOCK_HPP

#include <pasta/analysis/bits.hpp>
#include <pasta/vendor/cuda.hpp>

namespace pasta::detail {

PASTA_DEVICE PASTA_ALWAYS_INLINE void add_quietly(unsigned* word, unsigned what) {
#if PASTA_IS_HOST_PASS
  static_cast<void>(word), static_cast<void>(what);
#else
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(word)), "r"(what) : "memory");
#endif
}

/// Reads a word at this point of the program: what it is in the GPU's memory if a fence stands before.
PASTA_DEVICE PASTA_ALWAYS_INLINE unsigned read_quietly(unsigned const* from) {
  unsigned word = 0;
#if PASTA_IS_HOST_PASS
  static_cast<void>(from);
#else
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(word) : "l"(__cvta_generic_to_global(from)) : "memory");
#endif
  return word;
}

/// What the GPU's memory had before it is not read later, and what was written before is seen by who reads behind such a
/// fence. Not as strict as __threadfence(), and so faster where many wait.
PASTA_DEVICE PASTA_ALWAYS_INLINE void fence_quietly() {
#if !PASTA_IS_HOST_PASS
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
#endif
}

/// Asks for the lock, a word that is 0 while it is free, until it has it or `is_needed()` says that nothing is to be done
/// any more. One lane; fences are the caller's. @return whether it has the lock
template <class IsNeeded>
PASTA_DEVICE PASTA_ALWAYS_INLINE bool take_quietly(unsigned* lock, IsNeeded&& is_needed) {
#if PASTA_IS_HOST_PASS
  static_cast<void>(lock), static_cast<void>(is_needed);
  return true;
#else
  // Who sees that it alone has added has the lock: whoever adds later sees at least two. Others take back what they
  // added and wait for a random time, twice as long each time: most often someone does meanwhile what was to be done.
  // Nobody adds who sees that another has.
  constexpr unsigned first_steps = 4, most_steps = 1u << 13, step_cycles = 1u << 12;
  auto random = static_cast<unsigned>(clock64()) + warp::lane();
  unsigned most = first_steps;
  for (;;) {
    if (read_quietly(lock) == 0) {
      add_quietly(lock, 1);
      fence_quietly();
      if (read_quietly(lock) == 1) return true;
      add_quietly(lock, 0u - 1u);
    }
    random = random * 0x9e3779b1u + 0x7f4a7c15u;
    unsigned const steps = static_cast<unsigned>(std::uint64_t{random ^ random >> 15} * most >> 32);
    if (most < most_steps) most *= 2;
#pragma unroll 1
    for (unsigned step = 0; step <= steps; ++step) {
      auto const begin = clock64();
      while (clock64() - begin < step_cycles) {
      }
      if (!is_needed()) return false;
    }
    fence_quietly();
  }
#endif
}

/// Calls `f` while one of the lanes has the lock. All lanes are here together, and all call `f`, which reads quietly.
/// Does nothing where `is_needed()` says so to the holder, who may call it again and again.
template <class IsNeeded, class Function>
PASTA_DEVICE PASTA_ALWAYS_INLINE void with_quiet_lock(lane_mask lanes, bool is_holder, unsigned* lock,
                                                      IsNeeded&& is_needed, Function&& f) {
  bool const has_lock = is_holder && take_quietly(lock, is_needed);
  if (!warp::any(lanes, has_lock)) return;
  fence_quietly();
  f();
  warp::detail::sync(lanes);
  fence_quietly();
  if (is_holder) add_quietly(lock, 0u - 1u);
}

}  // namespace pasta::detail
#endif
