// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Operations between the lanes of a warp: the same names and meanings for every vendor. Each must be reached by every
/// lane of `lanes`, and only by those; the mask of an event is such a mask.
#ifndef PASTA_VENDOR_HOST_WARP_HPP
#define PASTA_VENDOR_HOST_WARP_HPP

#include <bit>
#include <cstring>
#include <pasta/vendor/host/workers.hpp>
#include <type_traits>

namespace pasta::warp {

namespace detail {

template <class Value>
std::uint64_t to_word(Value value) {
  static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) <= 8,
                "lanes exchange trivially copyable values of at most 8 bytes");
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(Value));
  return word;
}
template <class Value>
Value from_word(std::uint64_t word) {
  Value value;
  std::memcpy(&value, &word, sizeof(Value));
  return value;
}

// Calls f(value) for each lane of the mask, lowest first.
template <class Function>
PASTA_ALWAYS_INLINE void for_each_lane(lane_mask lanes, Function&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<std::uint32_t>(std::countr_zero(lanes)));
}

inline std::uint64_t exchange(lane_mask lanes, std::uint64_t value, simt::combine_function combine,
                              std::uint64_t argument = 0) {
  return simt::current_worker()->block.exchange(lanes, value, combine, argument);
}

}  // namespace detail

/// Lanes of a full warp: 32 or 64.
inline std::uint32_t width() { return simt::current_worker()->block.warp_width(); }

/// The calling lane's number within its warp.
inline std::uint32_t lane() { return simt::current_worker()->block.lane_in_warp(); }

/// Number of lanes in a mask.
constexpr std::uint32_t count(lane_mask lanes) { return static_cast<std::uint32_t>(std::popcount(lanes)); }

/// Whether the calling lane is the lowest of `lanes`.
inline bool is_leader(lane_mask lanes) { return lane() == static_cast<std::uint32_t>(std::countr_zero(lanes)); }

/// Whether the calling lane is the one that speaks for an event's lanes. Which one it is differs from site to site on a
/// GPU, so that the lanes of a warp share the work.
template <class Event>
requires requires(Event const& event) { event.site; }
inline bool is_leader(Event const& event) { return is_leader(event.lanes); }

/// The lanes for which the condition holds.
inline lane_mask ballot(lane_mask lanes, bool condition) {
  return detail::exchange(lanes, condition ? 1 : 0, [](std::uint64_t const* values, lane_mask all, std::uint64_t) {
    lane_mask holds = 0;
    detail::for_each_lane(all, [&](std::uint32_t lane) { holds |= values[lane] << lane; });
    return holds;
  });
}

inline bool any(lane_mask lanes, bool condition) { return ballot(lanes, condition) != 0; }
inline bool all(lane_mask lanes, bool condition) { return ballot(lanes, !condition) == 0; }

/// The value that lane `source` gave; the caller's own where that lane is not in `lanes`.
template <class Value>
Value shuffle(lane_mask lanes, Value value, std::uint32_t source) {
  return detail::from_word<Value>(detail::exchange(lanes, detail::to_word(value), nullptr, source));
}

/// Sum, smallest and largest over the lanes, for integers of at most 64 bits; every lane gets it. Sums wrap.
template <class Value>
Value reduce_add(lane_mask lanes, Value value) {
  static_assert(std::is_integral_v<Value>, "warp reductions are for integers: floating sums depend on their order");
  auto const sum = [](std::uint64_t const* values, lane_mask all, std::uint64_t) {
    std::uint64_t total = 0;
    detail::for_each_lane(all, [&](std::uint32_t lane) { total += values[lane]; });
    return total;
  };
  return static_cast<Value>(detail::exchange(lanes, static_cast<std::uint64_t>(value), sum));
}
template <class Value>
Value reduce_max(lane_mask lanes, Value value) {
  static_assert(std::is_integral_v<Value>, "warp reductions are for integers");
  auto const largest = [](std::uint64_t const* values, lane_mask all, std::uint64_t) {
    std::uint64_t best = values[std::countr_zero(all)];
    detail::for_each_lane(all, [&](std::uint32_t lane) {
      if (detail::from_word<Value>(values[lane]) > detail::from_word<Value>(best)) best = values[lane];
    });
    return best;
  };
  return detail::from_word<Value>(detail::exchange(lanes, detail::to_word(value), largest));
}
template <class Value>
Value reduce_min(lane_mask lanes, Value value) {
  static_assert(std::is_integral_v<Value>, "warp reductions are for integers");
  if constexpr (std::is_integral_v<Value>) return static_cast<Value>(~reduce_max(lanes, static_cast<Value>(~value)));
}

}  // namespace pasta::warp
#endif
