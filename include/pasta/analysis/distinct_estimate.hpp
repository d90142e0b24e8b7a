// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_DISTINCT_ESTIMATE_HPP
#define PASTA_ANALYSIS_DISTINCT_ESTIMATE_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <pasta/analysis/bits.hpp>
#include <pasta/config.hpp>

namespace pasta {

/// Estimates how many different keys were inserted, however many there were. 2^PrecisionBits bytes.
/// Standard error 1.04 / sqrt(2^PrecisionBits): 10 bits (1 KiB) 3.3 %, 12 bits (4 KiB) 1.6 %, 14 bits (16 KiB) 0.8 %.
/// HyperLogLog (P. Flajolet, É. Fusy, O. Gandouet, F. Meunier, AofA 2007) on 64-bit hashes, read by the estimator of
/// O. Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017), algorithm 6: it needs no tables
/// and has no bias where Flajolet's changes from one formula to another.
template <unsigned PrecisionBits = 10>
class distinct_estimate {
  static_assert(PrecisionBits >= 4 && PrecisionBits <= 16, "pasta::distinct_estimate: PrecisionBits must be 4 to 16");

 public:
  static constexpr std::size_t register_count = std::size_t{1} << PrecisionBits;

  PASTA_DEVICE constexpr void insert(std::uint64_t key) {
    std::uint64_t const hash = detail::mix(key);
    std::uint64_t const index = hash >> rank_bits;
    std::uint64_t const rest = hash & ((std::uint64_t{1} << rank_bits) - 1);
    // The place of the first 1 in the rest, from 1; rank_bits + 1 if there is none.
    auto const rank = static_cast<std::uint8_t>(rank_bits - detail::bit_width(rest) + 1);
    if (registers_[index] < rank) registers_[index] = rank;
  }

  /// The estimate of the number of different keys; 0 if there were none. Host only.
  double estimate() const {
    std::uint32_t histogram[rank_bits + 2] = {};  // registers by their value
    for (std::size_t i = 0; i < register_count; ++i) ++histogram[registers_[i]];
    if (histogram[0] == register_count) return 0;
    double const m = static_cast<double>(register_count);
    double z = m * tau(1 - histogram[rank_bits + 1] / m);
    for (unsigned value = rank_bits; value >= 1; --value) z = (z + histogram[value]) / 2;
    z += m * sigma(histogram[0] / m);
    constexpr double two_ln_2 = 1.3862943611198906;
    return m * m / (two_ln_2 * z);
  }

  /// Relative standard error of estimate() [1].
  static double standard_error() { return 1.04 / std::sqrt(static_cast<double>(register_count)); }

  PASTA_DEVICE constexpr void merge(distinct_estimate const& other) {
    for (std::size_t i = 0; i < register_count; ++i) {
      if (registers_[i] < other.registers_[i]) registers_[i] = other.registers_[i];
    }
  }
  friend constexpr bool operator==(distinct_estimate const&, distinct_estimate const&) = default;

 private:
  static constexpr unsigned rank_bits = 64 - PrecisionBits;

  // x + sum over k >= 1 of x^(2^k) * 2^(k-1), for 0 <= x < 1: corrects for registers that are still 0.
  static double sigma(double x) {
    double y = 1, z = x, last = -1;
    while (z != last) {
      x *= x;
      last = z;
      z += x * y;
      y += y;
    }
    return z;
  }

  // (1 - x - sum over k >= 1 of (1 - x^(2^-k))^2 * 2^-k) / 3: corrects for registers that are full.
  static double tau(double x) {
    if (x == 0 || x == 1) return 0;
    double y = 1, z = 1 - x, last = -1;
    while (z != last) {
      x = std::sqrt(x);
      last = z;
      y /= 2;
      z -= (1 - x) * (1 - x) * y;
    }
    return z / 3;
  }

  std::uint8_t registers_[register_count] = {};
};

}  // namespace pasta
#endif
