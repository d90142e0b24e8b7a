// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_COUNT_HPP
#define PASTA_ANALYSIS_COUNT_HPP

#include <cstdint>

#include <pasta/config.hpp>

namespace pasta {

/// Counts, or adds up whole numbers; exact up to 2^64 - 1. 8 bytes.
/// There is no sum of floating-point values: their addition is not associative, so the result would depend on the order
/// in which shards merge. Count in the smallest unit instead (bytes, ns, 1/1000 of a percent).
class count {
 public:
  PASTA_DEVICE constexpr void add(std::uint64_t n = 1) { value_ += n; }
  PASTA_DEVICE constexpr std::uint64_t value() const { return value_; }
  PASTA_DEVICE constexpr void merge(count const& other) { value_ += other.value_; }
  friend constexpr bool operator==(count const&, count const&) = default;

 private:
  std::uint64_t value_ = 0;
};

}  // namespace pasta
#endif
