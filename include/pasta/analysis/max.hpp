// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_MAX_HPP
#define PASTA_ANALYSIS_MAX_HPP

#include <cstdint>
#include <optional>
#include <type_traits>

#include <pasta/config.hpp>

namespace pasta {

/// Greatest of the numbers observed. sizeof(T) and a flag: 8 bytes for 4-byte numbers, 16 for 8-byte numbers.
/// A NaN is not observed; -0.0 is taken as 0.0, so that the order of observations never shows.
template <class T>
class max {
  static_assert(std::is_arithmetic_v<T>, "pasta::max takes an integer or a floating-point type");

 public:
  PASTA_DEVICE constexpr void observe(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (value != value) return;
      if (value == T{}) value = T{};
    }
    if (is_set_ == 0 || value_ < value) value_ = value;
    is_set_ = 1;
  }

  /// True until the first observation.
  PASTA_DEVICE constexpr bool is_empty() const { return is_set_ == 0; }

  /// The greatest number, or `fallback` if there was none.
  PASTA_DEVICE constexpr T value_or(T fallback) const { return is_set_ == 0 ? fallback : value_; }

  /// The greatest number; empty if there was none. Host only.
  constexpr std::optional<T> value() const { return is_set_ == 0 ? std::nullopt : std::optional<T>{value_}; }

  PASTA_DEVICE constexpr void merge(max const& other) {
    if (other.is_set_ != 0) observe(other.value_);
  }
  friend constexpr bool operator==(max const&, max const&) = default;

 private:
  T value_ = {};
  std::uint32_t is_set_ = 0;  // a word: a state in registers has no place for single bytes
};

}  // namespace pasta
#endif
