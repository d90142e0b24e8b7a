// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Merging into state in a GPU's memory that other threads merge into at the same time, for vendors whose lanes go in
/// step. Uses the vendor's neutral headers alone. Device code.
#ifndef PASTA_ANALYSIS_GPU_MERGE_HPP
#define PASTA_ANALYSIS_GPU_MERGE_HPP

#include <pasta/analysis/histogram.hpp>
#include <pasta/analysis/placement.hpp>
#include <pasta/vendor/current.hpp>

namespace pasta::detail {

using device_word = std::uint64_t;

/// Calls `f` with the lock held. The lane that has it waits for no lane of its own warp, so it lets go of it.
template <class Function>
PASTA_DEVICE PASTA_ALWAYS_INLINE void with_lock(std::uint32_t& lock, Function&& f) {
  PASTA_NO_UNROLL
  while (simt::atomic_compare_exchange(lock, 0, 1) != 0) simt::pause();
  simt::fence();
  f();
  simt::fence();
  simt::atomic_exchange(lock, 0);
}

// Zeros are the neutral element of every state.
template <class T>
PASTA_DEVICE PASTA_ALWAYS_INLINE bool is_neutral(T const& value) {
  static_assert(sizeof(T) % 4 == 0 && alignof(T) >= 4, "state on a GPU has a size of whole words");
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < sizeof(T) / 4; ++i) {
    std::uint32_t word;
    __builtin_memcpy(&word, reinterpret_cast<unsigned char const*>(&value) + 4 * i, 4);
    all |= word;
  }
  return all == 0;
}

// Arrays of counts, in any nesting: each word is added.
template <class T>
inline constexpr bool is_words_of_counts_v = std::is_same_v<T, count>;
template <std::size_t Bins>
inline constexpr bool is_words_of_counts_v<histogram<Bins>> = true;
template <std::size_t Bins>
inline constexpr bool is_words_of_counts_v<log2_histogram<Bins>> = true;
template <class T, std::size_t Size>
inline constexpr bool is_words_of_counts_v<T[Size]> = is_words_of_counts_v<T>;

// @param seen what the word was, maybe an old value: enough to see that nothing changes, or else to try with
template <class T>
PASTA_DEVICE PASTA_ALWAYS_INLINE void exchange_merged(device_word& word, device_word seen, T const& mine) {
  PASTA_NO_UNROLL
  for (bool is_done = false; !is_done;) {
    T merged;
    __builtin_memcpy(static_cast<void*>(&merged), &seen, sizeof(T));
    merged.merge(mine);
    device_word wanted;
    __builtin_memcpy(&wanted, &merged, sizeof(T));
    device_word const before = wanted == seen ? seen : simt::atomic_compare_exchange(word, seen, wanted);
    is_done = before == seen;
    seen = before;
  }
}

/// Merges one field, each of the lanes that are here its own. @param lock for types that no atomic operation merges
template <class T>
PASTA_DEVICE PASTA_ALWAYS_INLINE void merge_shared(lane_mask lanes, T& into, T const& mine, std::uint32_t& lock) {
  if constexpr (is_words_of_counts_v<T>) {
    static_assert(sizeof(count) == sizeof(device_word));
    auto* const words = reinterpret_cast<device_word*>(&into);
    for (std::size_t i = 0; i < sizeof(T) / sizeof(device_word); ++i) {
      device_word word;
      __builtin_memcpy(&word, reinterpret_cast<unsigned char const*>(&mine) + sizeof(word) * i, sizeof(word));
      if (word != 0) simt::atomic_add(words[i], word);
    }
  } else if constexpr (placement_v<T> == placement::registers) {
    static_assert(sizeof(T) == sizeof(device_word));
    auto& word = reinterpret_cast<device_word&>(into);
    if (!is_neutral(mine)) exchange_merged(word, word, mine);
  } else {
    PASTA_NO_UNROLL
    for (lane_mask left = warp::ballot(lanes, !is_neutral(mine)); left != 0; left &= left - 1) {
      if (warp::lane() == warp::lowest(left)) with_lock(lock, [&] { merge_one(into, mine); });
    }
  }
}

/// Merges all fields of a state but the rare ones.
template <class State>
PASTA_DEVICE PASTA_ALWAYS_INLINE void merge_all(lane_mask lanes, shared_parts<State>& into, State const& mine,
                                                std::uint32_t& lock) {
  for_each_part<State>([&]<std::size_t Part>() {
    if constexpr (shared_parts<State>::template has_v<Part>) {
      merge_shared(lanes, into.template get<Part>(), part<Part>(mine), lock);
    }
  });
}

}  // namespace pasta::detail
#endif
