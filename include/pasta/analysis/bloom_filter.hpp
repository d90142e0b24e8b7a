// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_BLOOM_FILTER_HPP
#define PASTA_ANALYSIS_BLOOM_FILTER_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <pasta/analysis/bits.hpp>
#include <pasta/config.hpp>

namespace pasta {

/// A set of keys that may say "present" of a key that is not, and never "absent" of one that is. Bits / 8 bytes.
/// With n keys the share of false "present" is about (1 - e^(-Hashes * n / Bits))^Hashes: 8 bits a key and 4 hashes
/// give 2.4 %, 16 bits a key and 4 hashes 0.24 %. The bits of a key are h1 + i * h2 (A. Kirsch, M. Mitzenmacher, "Less
/// hashing, same performance", ESA 2006); h2 is odd and Bits a power of two, so they all differ.
template <std::size_t Bits, std::size_t Hashes = 4>
class bloom_filter {
  static_assert(Bits >= 64 && (Bits & (Bits - 1)) == 0,
                "pasta::bloom_filter: Bits must be a power of two, at least 64");
  static_assert(Hashes >= 1 && Hashes <= 16, "pasta::bloom_filter: Hashes must be 1 to 16");

 public:
  static constexpr std::size_t bit_count = Bits;
  static constexpr std::size_t hash_count = Hashes;

  PASTA_DEVICE constexpr void insert(std::uint64_t key) {
    std::uint64_t const first = detail::mix(key);
    std::uint64_t const step = detail::mix(first) | 1U;
    for (std::size_t i = 0; i < Hashes; ++i) {
      std::uint64_t const bit = (first + i * step) & (Bits - 1);
      words_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  }

  /// False: the key was not inserted. True: it was, or other keys cover it.
  PASTA_DEVICE constexpr bool may_contain(std::uint64_t key) const {
    std::uint64_t const first = detail::mix(key);
    std::uint64_t const step = detail::mix(first) | 1U;
    for (std::size_t i = 0; i < Hashes; ++i) {
      std::uint64_t const bit = (first + i * step) & (Bits - 1);
      if ((words_[bit / 64] >> (bit % 64) & 1U) == 0) return false;
    }
    return true;
  }

  /// How many bits are set.
  PASTA_DEVICE constexpr std::uint64_t bits_set() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < Bits / 64; ++i) sum += detail::popcount(words_[i]);
    return sum;
  }

  /// Estimate of the number of different keys inserted: -(Bits / Hashes) ln(1 - bits_set / Bits), by S. Swamidass and
  /// P. Baldi, "Mathematical correction for fingerprint similarity measures to improve chemical retrieval", J. Chem.
  /// Inf. Model. 47 (2007). Empty if every bit is set: the filter then only knows "many". Host only.
  std::optional<double> estimate() const {
    std::uint64_t const set = bits_set();
    if (set == Bits) return std::nullopt;
    double const bits = static_cast<double>(Bits);
    return -bits / static_cast<double>(Hashes) * std::log1p(-static_cast<double>(set) / bits);
  }

  /// The chance that may_contain says true of a key that was not inserted [1]: (bits_set / Bits)^Hashes. Host only.
  double false_positive_rate() const {
    return std::pow(static_cast<double>(bits_set()) / static_cast<double>(Bits), static_cast<double>(Hashes));
  }

  PASTA_DEVICE constexpr void merge(bloom_filter const& other) {
    for (std::size_t i = 0; i < Bits / 64; ++i) words_[i] |= other.words_[i];
  }
  friend constexpr bool operator==(bloom_filter const&, bloom_filter const&) = default;

 private:
  std::uint64_t words_[Bits / 64] = {};
};

}  // namespace pasta
#endif
