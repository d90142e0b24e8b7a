// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_COMMON_VALUE_HPP
#define PASTA_ANALYSIS_COMMON_VALUE_HPP

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <pasta/config.hpp>

namespace pasta {

/// Whether all observed values were equal, and to what: empty, one value, or mixed. sizeof(T) and a word.
template <class T>
class common_value {
  static_assert(
      std::is_trivially_copyable_v<T> && std::equality_comparable<T> && !std::is_floating_point_v<T>,
      "pasta::common_value takes a trivially copyable type with == and no floating-point type: NaN is not equal "
      "to itself");

 public:
  PASTA_DEVICE constexpr void observe(T const& value) {
    if (kind_ == kind_empty) {
      value_ = value;
      kind_ = kind_one;
    } else if (kind_ == kind_one && !(value_ == value)) {
      *this = mixed();
    }
  }

  /// True until the first observation.
  PASTA_DEVICE constexpr bool is_empty() const { return kind_ == kind_empty; }

  /// True once two different values were observed.
  PASTA_DEVICE constexpr bool is_mixed() const { return kind_ == kind_mixed; }

  /// The value that all observations had, or `fallback` if there was none or they differed.
  PASTA_DEVICE constexpr T value_or(T const& fallback) const { return kind_ == kind_one ? value_ : fallback; }

  /// The value that all observations had; empty if there was none or they differed. Host only.
  constexpr std::optional<T> value() const { return kind_ == kind_one ? std::optional<T>{value_} : std::nullopt; }

  PASTA_DEVICE constexpr void merge(common_value const& other) {
    if (other.kind_ == kind_one) observe(other.value_);
    if (other.kind_ == kind_mixed) *this = mixed();
  }
  friend constexpr bool operator==(common_value const&, common_value const&) = default;

 private:
  static constexpr std::uint32_t kind_empty = 0, kind_one = 1, kind_mixed = 2;

  // No trace of the values remains, so that the order of observations never shows.
  PASTA_DEVICE static constexpr common_value mixed() {
    common_value result;
    result.kind_ = kind_mixed;
    return result;
  }

  T value_ = {};
  std::uint32_t kind_ = kind_empty;
};

}  // namespace pasta
#endif
