// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Operations between the lanes of a warp: the same names and meanings for every vendor. Each must be reached by every
/// lane of `lanes`, and only by those; the mask of an event is such a mask. Device code; sm_75 and newer.
#ifndef PASTA_VENDOR_CUDA_WARP_HPP
#define PASTA_VENDOR_CUDA_WARP_HPP

#include <cstring>
#include <pasta/config.hpp>
#include <type_traits>

#define PASTA_DETAIL_WARP PASTA_DEVICE PASTA_ALWAYS_INLINE

namespace pasta::detail {
// A function that is called seldom, through a pointer that the compiler cannot see through: the call then follows the
// platform's convention, in which the function saves what it needs of its caller's registers, and the caller has as
// many as if it called nothing.
template <auto Function>
PASTA_DETAIL_WARP auto cold() {
  auto function = Function;
#if !PASTA_IS_HOST_PASS
  asm("" : "+l"(function));
#endif
  return function;
}
// An event's site is the number of its place, and beyond it the lane, which is then found once and not for each event.
inline constexpr std::uint32_t site_lane_shift = 16;
template <class Event>
PASTA_DETAIL_WARP std::uint32_t lane_of(Event const& event) {
  return event.site >> site_lane_shift;
}
}  // namespace pasta::detail

namespace pasta::warp {

inline constexpr lane_mask full = 0xffffffffu;

namespace detail {

// nvcc compiles this file for the CPU as well, where the instructions do not exist; nothing calls it there.
#if PASTA_IS_HOST_PASS
inline lane_mask active() { return 1; }
inline bool is_among(lane_mask) { return true; }
inline lane_mask active_with(bool condition) { return condition ? 1 : 0; }
inline std::uint32_t lane_id() { return 0; }
inline lane_mask ballot(lane_mask lanes, bool condition) { return condition ? lanes : 0; }
inline bool all(lane_mask, bool condition) { return condition; }
inline void sync(lane_mask) {}
inline std::uint32_t shuffle(lane_mask, std::uint32_t value, std::uint32_t) { return value; }
inline std::uint32_t sum(lane_mask, std::uint32_t value) { return value; }
inline std::uint32_t full_sum(std::uint32_t value) { return value; }
inline std::uint32_t max(lane_mask, std::uint32_t value) { return value; }
inline lane_mask match(lane_mask lanes, std::uint64_t) { return lanes; }
inline lane_mask match(lane_mask lanes, std::uint32_t) { return lanes; }
#else
// The lanes that are here together and for which the condition holds; 0 for the others. Waits for none.
__device__ PASTA_ALWAYS_INLINE lane_mask active_with(bool condition) {
  lane_mask lanes = 0;
  asm volatile(
      "{\n\t"
      ".reg .pred holds;\n\t"
      "setp.ne.u32 holds, %1, 0;\n\t"
      "@holds activemask.b32 %0;\n\t"
      "}"
      : "+r"(lanes)
      : "r"(static_cast<std::uint32_t>(condition)));
  return lanes;
}
// Volatile in kernels: else the compiler takes what depends on it out of loops, and makes one loop for each lane.
__device__ PASTA_ALWAYS_INLINE std::uint32_t lane_id() {
  std::uint32_t id;
#if PASTA_DETAIL_IS_HOOK
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
#else
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
#endif
  return id % 32;  // as the compiler does not know
}
// Lanes that ask apart may be joined by the hardware before they use the answer, while the assembler takes it for one
// that all lanes have alike: it adds for all of them what one has, and syncs with the mask of one. The lane's own bit
// is set already; that it is set again keeps the assembler from that.
__device__ PASTA_ALWAYS_INLINE lane_mask active() { return __activemask() | 1u << lane_id(); }
// Whether the caller is one of these lanes. Said of the lanes that are here, it is true, as the compiler does not know:
// lanes that part in a function come together again behind a branch that may part them, and not behind a call alone.
__device__ PASTA_ALWAYS_INLINE bool is_among(lane_mask lanes) { return (lanes >> lane_id() & 1) != 0; }
__device__ PASTA_ALWAYS_INLINE lane_mask ballot(lane_mask lanes, bool condition) {
  return __ballot_sync(lanes, condition);
}
__device__ PASTA_ALWAYS_INLINE bool all(lane_mask lanes, bool condition) { return __all_sync(lanes, condition); }
__device__ PASTA_ALWAYS_INLINE void sync(lane_mask lanes) { __syncwarp(lanes); }
__device__ PASTA_ALWAYS_INLINE std::uint32_t shuffle(lane_mask lanes, std::uint32_t value, std::uint32_t source) {
  return __shfl_sync(lanes, value, static_cast<int>(source));
}
__device__ PASTA_ALWAYS_INLINE lane_mask match(lane_mask lanes, std::uint64_t value) {
  return __match_any_sync(lanes, value);
}
__device__ PASTA_ALWAYS_INLINE lane_mask match(lane_mask lanes, std::uint32_t value) {
  return __match_any_sync(lanes, value);
}
// ptxas takes no redux in patches.
#if __CUDA_ARCH__ >= 800 && !PASTA_DETAIL_IS_PATCH
__device__ PASTA_ALWAYS_INLINE std::uint32_t sum(lane_mask lanes, std::uint32_t value) {
  return __reduce_add_sync(lanes, value);
}
__device__ PASTA_ALWAYS_INLINE std::uint32_t max(lane_mask lanes, std::uint32_t value) {
  return __reduce_max_sync(lanes, value);
}
// For warps that are known to be whole. Not volatile: sums that nobody uses vanish, equal ones are made once.
__device__ PASTA_ALWAYS_INLINE std::uint32_t full_sum(std::uint32_t value) {
  std::uint32_t all;
  asm("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(all) : "r"(value));
  return all;
}
#else
template <class Combine>
__device__ PASTA_ALWAYS_INLINE std::uint32_t fold(lane_mask lanes, std::uint32_t value, Combine&& combine) {
  std::uint32_t all = 0;
  for (lane_mask left = lanes; left != 0; left &= left - 1) {
    all = combine(all, shuffle(lanes, value, static_cast<std::uint32_t>(__ffs(static_cast<int>(left))) - 1));
  }
  return all;
}
__device__ PASTA_ALWAYS_INLINE std::uint32_t sum(lane_mask lanes, std::uint32_t value) {
  return fold(lanes, value, [](std::uint32_t a, std::uint32_t b) { return a + b; });
}
__device__ PASTA_ALWAYS_INLINE std::uint32_t max(lane_mask lanes, std::uint32_t value) {
  return fold(lanes, value, [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; });
}
__device__ PASTA_ALWAYS_INLINE std::uint32_t full_sum(std::uint32_t value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(full, value, distance);
  return value;
}
#endif
#endif

}  // namespace detail

/// Lanes of a full warp.
PASTA_DETAIL_WARP constexpr std::uint32_t width() { return 32; }

/// The calling lane's number within its warp.
PASTA_DETAIL_WARP std::uint32_t lane() { return detail::lane_id(); }

/// Number of lanes in a mask.
PASTA_DETAIL_WARP constexpr std::uint32_t count(lane_mask lanes) {
  return static_cast<std::uint32_t>(__builtin_popcount(lanes));
}

/// The lowest lane of a mask that is not empty.
PASTA_DETAIL_WARP constexpr std::uint32_t lowest(lane_mask lanes) {
  return static_cast<std::uint32_t>(31 - __builtin_clz(lanes & (0 - lanes)));
}

/// Whether the calling lane is the lowest of `lanes`.
PASTA_DETAIL_WARP bool is_leader(lane_mask lanes) { return lane() == lowest(lanes); }

/// Whether the calling lane is the one that speaks for an event's lanes. Which one it is differs from site to site on a
/// GPU, so that the lanes of a warp share the work.
template <class Event>
requires requires(Event const& event) { event.site; }
PASTA_DETAIL_WARP bool is_leader(Event const& event) {
  std::uint32_t const home = event.site % 32;
  return pasta::detail::lane_of(event) == ((event.lanes >> home & 1) != 0 ? home : lowest(event.lanes));
}

/// The lanes for which the condition holds.
PASTA_DETAIL_WARP lane_mask ballot(lane_mask lanes, bool condition) { return detail::ballot(lanes, condition); }
PASTA_DETAIL_WARP bool any(lane_mask lanes, bool condition) { return !detail::all(lanes, !condition); }
PASTA_DETAIL_WARP bool all(lane_mask lanes, bool condition) { return detail::all(lanes, condition); }

/// The value that lane `source` gave; the caller's own where that lane is not in `lanes`.
template <class Value>
PASTA_DETAIL_WARP Value shuffle(lane_mask lanes, Value value, std::uint32_t source) {
  static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) <= 8,
                "lanes exchange trivially copyable values of at most 8 bytes");
  std::uint32_t words[2] = {0, 0};
  std::memcpy(words, &value, sizeof(Value));
  bool const is_there = source < 32 && (lanes >> source & 1) != 0;
  std::uint32_t const from = is_there ? source : lane();
  words[0] = detail::shuffle(lanes, words[0], from);
  if constexpr (sizeof(Value) > 4) words[1] = detail::shuffle(lanes, words[1], from);
  std::memcpy(&value, words, sizeof(Value));
  return value;
}

/// Sum, smallest and largest over the lanes, for integers of at most 64 bits; every lane gets it. Sums wrap.
template <class Value>
PASTA_DETAIL_WARP Value reduce_add(lane_mask lanes, Value value) {
  static_assert(std::is_integral_v<Value>, "warp reductions are for integers: floating sums depend on their order");
  if constexpr (sizeof(Value) <= 4) {
    return static_cast<Value>(detail::sum(lanes, static_cast<std::uint32_t>(value)));
  } else {
    // 32 values of 16 bits add up without a carry that is lost.
    auto const word = static_cast<std::uint64_t>(value);
    std::uint64_t all = 0;
    for (int shift = 0; shift < 64; shift += 16) {
      all += std::uint64_t{detail::sum(lanes, static_cast<std::uint32_t>(word >> shift & 0xffff))} << shift;
    }
    return static_cast<Value>(all);
  }
}
template <class Value>
PASTA_DETAIL_WARP Value reduce_max(lane_mask lanes, Value value) {
  static_assert(std::is_integral_v<Value>, "warp reductions are for integers");
  if constexpr (sizeof(Value) <= 4) {
    constexpr std::uint32_t sign = std::is_signed_v<Value> ? 0x80000000u : 0;
    return static_cast<Value>(detail::max(lanes, static_cast<std::uint32_t>(value) ^ sign) ^ sign);
  } else {
    constexpr std::uint64_t sign = std::is_signed_v<Value> ? std::uint64_t{1} << 63 : 0;
    std::uint64_t const word = static_cast<std::uint64_t>(value) ^ sign;
    auto const high = static_cast<std::uint32_t>(word >> 32);
    std::uint32_t const highest = detail::max(lanes, high);
    std::uint32_t const low = detail::max(lanes, high == highest ? static_cast<std::uint32_t>(word) : 0);
    return static_cast<Value>((std::uint64_t{highest} << 32 | low) ^ sign);
  }
}
template <class Value>
PASTA_DETAIL_WARP Value reduce_min(lane_mask lanes, Value value) {
  static_assert(std::is_integral_v<Value>, "warp reductions are for integers");
  return static_cast<Value>(~reduce_max(lanes, static_cast<Value>(~value)));
}

}  // namespace pasta::warp
#endif
