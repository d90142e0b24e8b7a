// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Bit counts and the hash that the analysis structures share.
#ifndef PASTA_ANALYSIS_BITS_HPP
#define PASTA_ANALYSIS_BITS_HPP

#include <cstdint>

#include <pasta/config.hpp>

// <bit> is not used: its functions are host functions to nvcc. The builtins become one instruction on every vendor.
namespace pasta::detail {

/// Number of bits needed to write `value`: 0 → 0, 1 → 1, 2 and 3 → 2, 2^63 and up → 64.
PASTA_DEVICE constexpr unsigned bit_width(std::uint64_t value) {
  return value == 0 ? 0U : 64U - static_cast<unsigned>(__builtin_clzll(value));
}

PASTA_DEVICE constexpr unsigned popcount(std::uint64_t value) {
  return static_cast<unsigned>(__builtin_popcountll(value));
}

/// Spreads a key over all 64 bits; a bijection, so distinct keys stay distinct.
/// The finaliser "Mix13" of D. Stafford, as used by SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014), after adding
/// an odd constant so that 0 is not a fixed point.
PASTA_DEVICE constexpr std::uint64_t mix(std::uint64_t key) {
  key += 0x9e3779b97f4a7c15U;
  key = (key ^ (key >> 30U)) * 0xbf58476d1ce4e5b9U;
  key = (key ^ (key >> 27U)) * 0x94d049bb133111ebU;
  return key ^ (key >> 31U);
}

}  // namespace pasta::detail
#endif
