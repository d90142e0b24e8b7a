// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_BITMAP_HPP
#define PASTA_ANALYSIS_BITMAP_HPP

#include <cstddef>
#include <cstdint>

#include <pasta/analysis/bits.hpp>
#include <pasta/config.hpp>

namespace pasta {

/// A set of numbers from 0 to Bits - 1. 8 * (ceil(Bits / 64) + 1) bytes.
/// For big sets over addresses ask PASTA for shadow bits instead.
template <std::size_t Bits>
class bitmap {
  static_assert(Bits > 0, "pasta::bitmap needs at least one bit");

 public:
  static constexpr std::size_t bit_count = Bits;

  /// Puts a number into the set. A number of Bits or more cannot be kept; has_outside() then says so.
  PASTA_DEVICE constexpr void set(std::uint64_t bit) {
    if (bit < Bits) {
      words_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    } else {
      outside_ = 1;
    }
  }

  /// Is the number in the set? False for a number of Bits or more.
  PASTA_DEVICE constexpr bool test(std::uint64_t bit) const {
    return bit < Bits && (words_[bit / 64] >> (bit % 64) & 1U) != 0;
  }

  /// How many numbers are in the set.
  PASTA_DEVICE constexpr std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < word_count; ++i) sum += detail::popcount(words_[i]);
    return sum;
  }

  /// True if set() was ever called with a number that does not fit: the set then is not complete.
  PASTA_DEVICE constexpr bool has_outside() const { return outside_ != 0; }

  PASTA_DEVICE constexpr void merge(bitmap const& other) {
    for (std::size_t i = 0; i < word_count; ++i) words_[i] |= other.words_[i];
    outside_ |= other.outside_;
  }
  friend constexpr bool operator==(bitmap const&, bitmap const&) = default;

 private:
  static constexpr std::size_t word_count = (Bits + 63) / 64;

  std::uint64_t words_[word_count] = {};
  std::uint64_t outside_ = 0;
};

}  // namespace pasta
#endif
