// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Merging into state that other threads merge into at the same time. Device code.
#ifndef PASTA_ANALYSIS_CUDA_SHARED_MERGE_HPP
#define PASTA_ANALYSIS_CUDA_SHARED_MERGE_HPP

#include <pasta/analysis/histogram.hpp>
#include <pasta/analysis/placement.hpp>
#include <pasta/vendor/cuda.hpp>

namespace pasta::detail {

using device_word = unsigned long long;

/// Sets a word of the GPU's memory if it has a value, for all lanes that call it. @return what it had
// An atomicCAS whose memory is unknown brings the case of shared memory along, and with it a loop that lets waiting
// lanes go on.
PASTA_DEVICE PASTA_ALWAYS_INLINE device_word compare_exchange(device_word* word, device_word seen, device_word wanted) {
#if PASTA_IS_HOST_PASS
  static_cast<void>(word), static_cast<void>(wanted);
#else
  asm volatile("atom.relaxed.gpu.global.cas.b64 %0, [%1], %0, %2;"
               : "+l"(seen)
               : "l"(__cvta_generic_to_global(word)), "l"(wanted)
               : "memory");
#endif
  return seen;
}
/// Takes a lock if it is free. Fences are the caller's. @return whether it was
PASTA_DEVICE PASTA_ALWAYS_INLINE bool try_lock(unsigned* lock) {
  unsigned before = 0;
#if PASTA_IS_HOST_PASS
  static_cast<void>(lock);
#else
  asm volatile("atom.relaxed.gpu.global.cas.b32 %0, [%1], 0, 1;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(lock))
               : "memory");
#endif
  return before == 0;
}
PASTA_DEVICE PASTA_ALWAYS_INLINE void unlock(unsigned* lock) {
#if PASTA_IS_HOST_PASS
  static_cast<void>(lock);
#else
  asm volatile("st.relaxed.gpu.global.u32 [%0], 0;" ::"l"(__cvta_generic_to_global(lock)) : "memory");
#endif
}

// What is done under a lock stands in the loop that waits for it, and whether it was done the compiler and the
// assembler cannot know: both would put it behind the loop, where lanes that have the lock wait for those that want it.

/// Takes a lock for one lane; lanes of a warp that want the same lock come one after the other.
template <class Function>
PASTA_DEVICE void with_lock(unsigned* lock, Function&& f) {
#if PASTA_IS_HOST_PASS
  static_cast<void>(lock), f();
#else
  for (lane_mask done = 0; done == 0;) {
    if (!try_lock(lock)) continue;
    __threadfence();
    f();
    __threadfence();
    unlock(lock);
    done = warp::detail::active();
  }
#endif
}
/// The same for one of the lanes that are here together: all wait, and all call `f`.
// Where a lane alone waits for others, ptxas lets those go on that wait for it, and they part for good. Other lanes of
// the warp may be here as well, with a mask of their own.
template <class Function>
PASTA_DEVICE PASTA_ALWAYS_INLINE void with_lock_of_one(lane_mask lanes, bool is_holder, unsigned* lock, Function&& f) {
  bool is_done = false;
  do {
    bool has_lock = false;
    if (is_holder) has_lock = try_lock(lock);
    if (warp::any(lanes, has_lock)) {
#if !PASTA_IS_HOST_PASS
      __threadfence();
#endif
      f();
      warp::detail::sync(lanes);
#if !PASTA_IS_HOST_PASS
      __threadfence();
#endif
      if (is_holder) unlock(lock);
      is_done = warp::any(lanes, has_lock);
    }
  } while (!is_done);
}

/// Adds to a word of the GPU's memory, and waits for nothing.
PASTA_DEVICE PASTA_ALWAYS_INLINE void add_word(device_word* to, device_word what) {
#if PASTA_IS_HOST_PASS
  static_cast<void>(to), static_cast<void>(what);
#else
  // The compiler makes of atomicAdd an operation that answers, unless it sees what memory this is.
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "l"(what) : "memory");
#endif
}

/// The same where `unless` is 0.
PASTA_DEVICE PASTA_ALWAYS_INLINE void add_word_unless(std::uint32_t unless, device_word* to, device_word what) {
#if PASTA_IS_HOST_PASS
  static_cast<void>(unless), static_cast<void>(to), static_cast<void>(what);
#else
  // With `unless` in what is added, which is then 0, the assembler does not see that lanes add the same: it would count
  // the lanes that add.
  asm volatile(
      "{\n\t"
      ".reg .pred is_wanted;\n\t"
      ".reg .b64 also;\n\t"
      "setp.eq.u32 is_wanted, %0, 0;\n\t"
      "cvt.u64.u32 also, %0;\n\t"
      "add.u64 also, also, %2;\n\t"
      "@is_wanted red.relaxed.gpu.global.add.u64 [%1], also;\n\t"
      "}" ::"r"(unless),
      "l"(__cvta_generic_to_global(to)), "l"(what)
      : "memory");
#endif
}

/// Reads a word, maybe an old value of it, at this point of the program.
PASTA_DEVICE PASTA_ALWAYS_INLINE device_word read_now(device_word const* from) {
  device_word word = 0;
#if PASTA_IS_HOST_PASS
  static_cast<void>(from);
#else
  asm volatile("ld.global.u64 %0, [%1];" : "=l"(word) : "l"(__cvta_generic_to_global(from)));
#endif
  return word;
}

// State is kept as words, so that it can be read past the first-level cache.
template <class T>
PASTA_DEVICE T read_shared(T const* from) {
  static_assert(sizeof(T) % 4 == 0 && alignof(T) >= 4, "state on a GPU has a size of whole words");
  T value;
  auto const* const words = reinterpret_cast<std::uint32_t const volatile*>(from);
  for (std::size_t i = 0; i < sizeof(T) / 4; ++i) {
    std::uint32_t const word = words[i];
    std::memcpy(reinterpret_cast<unsigned char*>(&value) + 4 * i, &word, 4);
  }
  return value;
}
template <class T>
PASTA_DEVICE void write_shared(T* to, T const& value) {
  auto* const words = reinterpret_cast<std::uint32_t volatile*>(to);
  for (std::size_t i = 0; i < sizeof(T) / 4; ++i) {
    std::uint32_t word;
    std::memcpy(&word, reinterpret_cast<unsigned char const*>(&value) + 4 * i, 4);
    words[i] = word;
  }
}

// Zeros are the neutral element of every state.
template <class T>
PASTA_DEVICE PASTA_ALWAYS_INLINE bool is_neutral(T const& value) {
  if constexpr (sizeof(T) == 8) {
    std::uint64_t word;
    std::memcpy(&word, &value, 8);
    return word == 0;
  } else {
    std::uint32_t all = 0;
    for (std::size_t i = 0; i < sizeof(T) / 4; ++i) {
      std::uint32_t word;
      std::memcpy(&word, reinterpret_cast<unsigned char const*>(&value) + 4 * i, 4);
      all |= word;
    }
    return all == 0;
  }
}

template <class T>
inline constexpr bool is_words_of_counts_v = false;
template <std::size_t Bins>
inline constexpr bool is_words_of_counts_v<histogram<Bins>> = true;
template <std::size_t Bins>
inline constexpr bool is_words_of_counts_v<log2_histogram<Bins>> = true;
template <class T, std::size_t Size>
inline constexpr bool is_words_of_counts_v<T[Size]> = is_words_of_counts_v<T> || std::is_same_v<T, count>;

template <class T>
PASTA_DEVICE PASTA_ALWAYS_INLINE device_word merged_word(device_word into, T const& mine) {
  T merged = simt::detail::bits_as<T>(into);
  merged.merge(mine);
  return simt::detail::bits_as<device_word>(merged);
}
// @param seen what the word was
template <class T>
PASTA_DEVICE PASTA_NEVER_INLINE inline void exchange_merged(device_word* word, device_word seen, T mine) {
  for (;;) {
    device_word const wanted = merged_word(seen, mine);
    if (wanted == seen) return;
    device_word const before = compare_exchange(word, seen, wanted);
    if (before == seen) return;
    seen = before;
  }
}

/// Whether a field is merged by compare and exchange, and most often not at all.
template <class T>
inline constexpr bool is_exchanged_v = placement_v<T> == placement::registers && !std::is_same_v<T, count>;

/// Whether an addition to memory merges a field, or nothing: no more is to be done than add_word does.
template <class T>
PASTA_DEVICE PASTA_ALWAYS_INLINE bool is_added(T const* into, T const& mine) {
  if constexpr (std::is_same_v<T, count>) {
    return true;
  } else {
    static_assert(placement_v<T> == placement::registers);
    device_word const seen = *reinterpret_cast<device_word const*>(into);
    return is_neutral(mine) || merged_word(seen, mine) == seen;
  }
}

/// Merges one field. @param lock for types that no atomic operation merges; belongs to the row
template <class T>
PASTA_DEVICE PASTA_ALWAYS_INLINE void merge_shared(T* into, T const& mine, unsigned* lock) {
#if PASTA_IS_HOST_PASS
  static_cast<void>(into), static_cast<void>(mine), static_cast<void>(lock);
#else
  if constexpr (std::is_same_v<T, count>) {
    static_assert(sizeof(count) == sizeof(device_word));
    if (mine.value() != 0) add_word(reinterpret_cast<device_word*>(into), mine.value());
  } else if constexpr (is_exchanged_v<T>) {
    static_assert(sizeof(T) == sizeof(device_word));
    if (is_neutral(mine)) return;
    // Most often nothing changes.
    auto* const word = reinterpret_cast<device_word*>(into);
    device_word const seen = *word;  // maybe an old value: enough to see that nothing changes, or else to try with
    if (merged_word(seen, mine) != seen) exchange_merged(word, seen, mine);
  } else if constexpr (is_words_of_counts_v<T>) {
    auto const* const words = reinterpret_cast<device_word const*>(&mine);
    for (std::size_t i = 0; i < sizeof(T) / sizeof(device_word); ++i) {
      if (words[i] != 0) add_word(reinterpret_cast<device_word*>(into) + i, words[i]);
    }
  } else {
    if (is_neutral(mine)) return;
    with_lock(lock, [&] {
      T merged = read_shared(into);
      merge_one(merged, mine);
      write_shared(into, merged);
    });
  }
#endif
}

// The same as exchange_merged by lanes that are here together; those that are done or have nothing leave the word as it
// is.
template <class T>
PASTA_DEVICE PASTA_NEVER_INLINE inline void exchange_together(lane_mask lanes, device_word* word, device_word seen,
                                                              T mine) {
  bool is_done = false;
  do {
    device_word const wanted = is_done || is_neutral(mine) ? seen : merged_word(seen, mine);
    device_word const before = compare_exchange(word, seen, wanted);
    is_done |= before == seen;
    seen = before;
  } while (!warp::all(lanes, is_done));
}

/// The same as merge_shared by lanes that are here together, and stay so.
template <class T>
PASTA_DEVICE PASTA_ALWAYS_INLINE void merge_together(lane_mask lanes, T* into, T const& mine, unsigned* lock) {
  if constexpr (std::is_same_v<T, count> || is_words_of_counts_v<T>) {
    merge_shared(into, mine, lock);
  } else if constexpr (is_exchanged_v<T>) {
    auto* const word = reinterpret_cast<device_word*>(into);
    device_word const seen = *word;
    if (warp::any(lanes, !is_neutral(mine) && merged_word(seen, mine) != seen)) {
      exchange_together(lanes, word, seen, mine);
    }
  } else {
    for (lane_mask left = warp::ballot(lanes, !is_neutral(mine)); left != 0; left &= left - 1) {
      bool const is_next = warp::lane() == warp::lowest(left);
      with_lock_of_one(lanes, is_next, lock, [&] {
        if (!is_next) return;
        T merged = read_shared(into);
        merge_one(merged, mine);
        write_shared(into, merged);
      });
    }
  }
}

}  // namespace pasta::detail
#endif
