// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Operations between the lanes of a warp (AMD: wave) of 64 or 32: the same names and meanings for every vendor. Each
/// must be reached by every lane of `lanes`, and only by those; the mask of an event is such a mask. Lanes of a wave go
/// in step, so those that are here are those of the mask, and no operation has to wait. Device code.
#ifndef PASTA_VENDOR_HIP_WARP_HPP
#define PASTA_VENDOR_HIP_WARP_HPP

#include <hip/hip_runtime.h>

#include <pasta/config.hpp>
#include <type_traits>

#define PASTA_DETAIL_WARP PASTA_DEVICE PASTA_ALWAYS_INLINE

namespace pasta::warp {

/// Lanes of a full warp: a constant of the architecture.
PASTA_DETAIL_WARP std::uint32_t width() { return static_cast<std::uint32_t>(warpSize); }

/// The calling lane's number within its warp.
PASTA_DETAIL_WARP std::uint32_t lane() { return __lane_id(); }

/// Number of lanes in a mask.
PASTA_DETAIL_WARP constexpr std::uint32_t count(lane_mask lanes) {
  return static_cast<std::uint32_t>(__builtin_popcountll(lanes));
}

/// The lowest and the highest lane of a mask that is not empty.
PASTA_DETAIL_WARP constexpr std::uint32_t lowest(lane_mask lanes) {
  return static_cast<std::uint32_t>(__builtin_ctzll(lanes));
}
PASTA_DETAIL_WARP constexpr std::uint32_t highest(lane_mask lanes) {
  return 63 - static_cast<std::uint32_t>(__builtin_clzll(lanes));
}

namespace detail {

PASTA_DETAIL_WARP lane_mask active() { return __ballot(1); }

template <class Value, class Exchange>
PASTA_DETAIL_WARP Value by_words(Value value, Exchange&& exchange) {
  static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) <= 8,
                "lanes exchange trivially copyable values of at most 8 bytes");
  int words[2] = {0, 0};
  __builtin_memcpy(words, &value, sizeof(Value));
  words[0] = exchange(words[0]);
  if constexpr (sizeof(Value) > 4) words[1] = exchange(words[1]);
  __builtin_memcpy(&value, words, sizeof(Value));
  return value;
}

// The value of a lane that is the same for all: cheaper than a shuffle.
template <class Value>
PASTA_DETAIL_WARP Value read(Value value, std::uint32_t from) {
  return by_words(value, [&](int word) { return __builtin_amdgcn_readlane(word, static_cast<int>(from)); });
}

}  // namespace detail

/// Whether the calling lane is the lowest of `lanes`.
PASTA_DETAIL_WARP bool is_leader(lane_mask lanes) { return lane() == lowest(lanes); }

/// Whether the calling lane is the one that speaks for an event's lanes.
template <class Event>
requires requires(Event const& event) { event.site; }
PASTA_DETAIL_WARP bool is_leader(Event const& event) { return is_leader(event.lanes); }

/// The lanes for which the condition holds.
PASTA_DETAIL_WARP lane_mask ballot(lane_mask lanes, bool condition) { return __ballot(condition ? 1 : 0) & lanes; }
PASTA_DETAIL_WARP bool any(lane_mask lanes, bool condition) { return ballot(lanes, condition) != 0; }
PASTA_DETAIL_WARP bool all(lane_mask lanes, bool condition) { return ballot(lanes, !condition) == 0; }

/// The value that lane `source` gave; the caller's own where that lane is not in `lanes`.
template <class Value>
PASTA_DETAIL_WARP Value shuffle(lane_mask lanes, Value value, std::uint32_t source) {
  bool const is_there = source < 64 && (lanes >> source & 1) != 0;
  auto const from = static_cast<int>(is_there ? source : lane());
  return detail::by_words(value, [&](int word) { return __shfl(word, from); });
}

/// Sum, smallest and largest over the lanes, for integers of at most 64 bits; every lane gets it. Sums wrap.
// Bit by bit with ballots, which are scalar: most sums are small. Nothing passes through inactive lanes.
template <class Value>
PASTA_DETAIL_WARP Value reduce_add(lane_mask lanes, Value value) {
  static_assert(std::is_integral_v<Value>, "warp reductions are for integers: floating sums depend on their order");
  std::uint64_t left = static_cast<std::uint64_t>(value) & (~std::uint64_t{0} >> (64 - 8 * sizeof(Value)));
  std::uint64_t total = 0;
  PASTA_NO_UNROLL
  for (std::uint32_t bit = 0; any(lanes, left != 0); ++bit, left >>= 1) {
    total += std::uint64_t{count(ballot(lanes, (left & 1) != 0))} << bit;
  }
  return static_cast<Value>(total);
}
template <class Value>
PASTA_DETAIL_WARP Value reduce_max(lane_mask lanes, Value value) {
  static_assert(std::is_integral_v<Value>, "warp reductions are for integers");
  constexpr std::uint64_t sign = std::is_signed_v<Value> ? std::uint64_t{1} << 63 : 0;
  std::uint64_t const word = static_cast<std::uint64_t>(value) ^ sign;
  lane_mask best = lanes;
  PASTA_NO_UNROLL
  for (std::uint32_t bit = 64; bit-- > 0 && (best & (best - 1)) != 0;) {
    lane_mask const higher = ballot(lanes, (word >> bit & 1) != 0) & best;
    best = higher != 0 ? higher : best;
  }
  return detail::read(value, lowest(best));
}
template <class Value>
PASTA_DETAIL_WARP Value reduce_min(lane_mask lanes, Value value) {
  static_assert(std::is_integral_v<Value>, "warp reductions are for integers");
  return static_cast<Value>(~reduce_max(lanes, static_cast<Value>(~value)));
}

}  // namespace pasta::warp
#endif
