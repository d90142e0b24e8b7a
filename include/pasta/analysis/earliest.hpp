// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_EARLIEST_HPP
#define PASTA_ANALYSIS_EARLIEST_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include <pasta/config.hpp>

namespace pasta {

/// Keeps the sample with the smallest key: the first in time if the key is a clock, the worst if it counts down.
/// Equal keys: the sample whose bytes are smaller, compared one by one from the first, so that the result never depends
/// on the order. 16 bytes and sizeof(T).
template <class T>
class earliest {
  static_assert(std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>,
                "pasta::earliest compares samples by their bytes: the type must be trivially copyable, without padding "
                "between its fields and without floating-point fields (keep their bits in an integer)");

 public:
  /// Any key from 0 to 2^64 - 1.
  PASTA_DEVICE constexpr void observe(std::uint64_t key, T const& sample) {
    if (is_set_ != 0 && (key_ < key || (key_ == key && !is_smaller(sample, sample_)))) return;
    key_ = key;
    sample_ = sample;
    is_set_ = 1;
  }

  /// True until the first observation.
  PASTA_DEVICE constexpr bool is_empty() const { return is_set_ == 0; }

  /// The key of the sample; 0 if there is none.
  PASTA_DEVICE constexpr std::uint64_t key() const { return key_; }

  /// The sample; empty if there is none. Host only.
  constexpr std::optional<T> value() const { return is_set_ == 0 ? std::nullopt : std::optional<T>{sample_}; }

  PASTA_DEVICE constexpr void merge(earliest const& other) {
    if (other.is_set_ != 0) observe(other.key_, other.sample_);
  }

 private:
  PASTA_DEVICE static bool is_smaller(T const& a, T const& b) {
#if PASTA_IS_HOST_PASS
    return std::memcmp(&a, &b, sizeof(T)) < 0;
#else
    auto const* left = reinterpret_cast<unsigned char const*>(&a);
    auto const* right = reinterpret_cast<unsigned char const*>(&b);
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      if (left[i] != right[i]) return left[i] < right[i];
    }
    return false;
#endif
  }

  std::uint64_t key_ = 0;
  std::uint64_t is_set_ = 0;
  T sample_ = {};
};

}  // namespace pasta
#endif
