// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Values of a warp's lanes.
#ifndef PASTA_TESTS_EMULATION_PTX_LANES_HPP
#define PASTA_TESTS_EMULATION_PTX_LANES_HPP

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ptx_emulation {

inline constexpr unsigned warp_lanes = 32;
using lane_mask = std::uint32_t;
inline constexpr lane_mask all_lanes = 0xffffffff;

/// What a register holds in the 32 lanes: each value in the low bits, zeros above. A predicate is true if it is not 0.
using row = std::uint64_t*;
using const_row = std::uint64_t const*;

template <class Function>
void for_lanes(lane_mask which, Function&& visit) {
  for (; which != 0; which &= which - 1) visit(static_cast<unsigned>(std::countr_zero(which)));
}

/// Sets what the function says in these lanes. Sources may be the row itself.
template <class Function>
void write_lanes(lane_mask which, row to, Function&& value) {
  if (which == all_lanes) {
    std::uint64_t made[warp_lanes];
    for (unsigned i = 0; i < warp_lanes; ++i) made[i] = value(i);
    std::memcpy(to, made, sizeof made);
    return;
  }
  for_lanes(which, [&](unsigned i) { to[i] = value(i); });
}

/// A value as a number of the type.
template <class T>
T as(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(bits);
  } else if constexpr (std::is_same_v<T, bool>) {
    return bits != 0;
  } else {
    return static_cast<T>(bits);
  }
}

template <class T>
std::uint64_t bits_of(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<std::uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::uint64_t>(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? 1 : 0;
  } else {
    return static_cast<std::make_unsigned_t<T>>(value);
  }
}

}  // namespace ptx_emulation
#endif
