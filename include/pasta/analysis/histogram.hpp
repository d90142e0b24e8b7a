// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_HISTOGRAM_HPP
#define PASTA_ANALYSIS_HISTOGRAM_HPP

#include <cstddef>
#include <cstdint>

#include <pasta/analysis/bits.hpp>
#include <pasta/config.hpp>

namespace pasta {

/// A count for each of the numbers 0 to Bins - 1, and one for all numbers beyond. 8 * (Bins + 1) bytes.
template <std::size_t Bins>
class histogram {
  static_assert(Bins > 0, "pasta::histogram needs at least one bin");

 public:
  static constexpr std::size_t bin_count = Bins;

  /// Adds n to the bin; to the overflow bin if there is no such bin.
  PASTA_DEVICE constexpr void add(std::uint64_t bin, std::uint64_t n = 1) {
#if PASTA_DETAIL_IS_HOOK
    // Registers have no index that is known at run time only.
    std::uint64_t const at = bin < Bins ? bin : Bins;
    PASTA_UNROLL
    for (std::size_t i = 0; i <= Bins; ++i) bins_[i] += i == at ? n : 0;
#else
    bins_[bin < Bins ? bin : Bins] += n;
#endif
  }

  /// What was added to the bin; 0 if there is no such bin.
  PASTA_DEVICE constexpr std::uint64_t value(std::uint64_t bin) const { return bin < Bins ? bins_[bin] : 0; }

  /// What was added to bins that do not exist.
  PASTA_DEVICE constexpr std::uint64_t overflow() const { return bins_[Bins]; }

  /// All that was added, overflow included.
  PASTA_DEVICE constexpr std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (std::size_t bin = 0; bin <= Bins; ++bin) sum += bins_[bin];
    return sum;
  }

  PASTA_DEVICE constexpr void merge(histogram const& other) {
    for (std::size_t bin = 0; bin <= Bins; ++bin) bins_[bin] += other.bins_[bin];
  }
  friend constexpr bool operator==(histogram const&, histogram const&) = default;

 private:
  std::uint64_t bins_[Bins + 1] = {};  // the last one is the overflow bin
};

/// A count for each power of two: bin 0 is the value 0, bin b > 0 the values from 2^(b-1) to 2^b - 1.
/// 65 bins hold every 64-bit value; with fewer, larger values go to the overflow bin. 8 * (Bins + 1) bytes.
template <std::size_t Bins = 65>
class log2_histogram {
  static_assert(Bins > 0 && Bins <= 65,
                "pasta::log2_histogram needs 1 to 65 bins: a 64-bit value has no more powers of two");

 public:
  static constexpr std::size_t bin_count = Bins;

  /// Adds n to the bin of `value`.
  PASTA_DEVICE constexpr void add(std::uint64_t value, std::uint64_t n = 1) { bins_.add(bin_of(value), n); }

  /// The bin of a value: 0 → 0, 1 → 1, 2 → 2, 3 → 2, 4 → 3.
  PASTA_DEVICE static constexpr std::size_t bin_of(std::uint64_t value) { return detail::bit_width(value); }

  /// The smallest and the greatest value of a bin below 65.
  PASTA_DEVICE static constexpr std::uint64_t lowest_of(std::size_t bin) {
    return bin == 0 ? 0 : std::uint64_t{1} << (bin - 1);
  }
  PASTA_DEVICE static constexpr std::uint64_t highest_of(std::size_t bin) {
    return bin == 0 ? 0 : lowest_of(bin) - 1 + lowest_of(bin);
  }

  PASTA_DEVICE constexpr std::uint64_t value(std::uint64_t bin) const { return bins_.value(bin); }
  PASTA_DEVICE constexpr std::uint64_t overflow() const { return bins_.overflow(); }
  PASTA_DEVICE constexpr std::uint64_t total() const { return bins_.total(); }
  PASTA_DEVICE constexpr void merge(log2_histogram const& other) { bins_.merge(other.bins_); }
  friend constexpr bool operator==(log2_histogram const&, log2_histogram const&) = default;

 private:
  histogram<Bins> bins_;
};

}  // namespace pasta
#endif
