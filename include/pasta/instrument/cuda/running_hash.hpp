// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a lane did, as a number that is made while it does it. Device code.
#ifndef PASTA_INSTRUMENT_CUDA_RUNNING_HASH_HPP
#define PASTA_INSTRUMENT_CUDA_RUNNING_HASH_HPP

#include <pasta/analysis/bits.hpp>
#include <pasta/analysis/cuda/site_locator.hpp>

namespace pasta::detail {

/// The same for lanes that executed the same sites as often; 0 for one that did nothing. The sum of a number for each
/// event: one of the site, and the file's address times the weight of the site's place. The compiler knows all but the
/// address, and adds nothing up where it knows how often a site is executed.
class running_hash {
 public:
  // The file is not set: its first value is multiplied by 0, and a variable of one value is no variable.
  PASTA_DEVICE PASTA_ALWAYS_INLINE running_hash() {}  // NOLINT

  PASTA_DEVICE PASTA_ALWAYS_INLINE void note(std::uint32_t slot, device_word packed, char const* file) {
    sites_ += mix(packed + slot) + weight_ * static_cast<std::uint64_t>(file_ - file);
    weight_ += weight_of(slot);
    file_ = file;
  }
  /// What was noted of a place is taken back.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void forget(std::uint32_t slot, device_word packed, char const* file,
                                               std::uint64_t times) {
    std::uint32_t const weight = static_cast<std::uint32_t>(times) * weight_of(slot);
    sites_ -= times * mix(packed + slot) + weight * static_cast<std::uint64_t>(file - file_);
    weight_ -= weight;
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint64_t value() const {
    return sites_ + weight_ * std::uint64_t{reinterpret_cast<std::uintptr_t>(file_)};
  }

 private:
  PASTA_DEVICE PASTA_ALWAYS_INLINE static std::uint32_t weight_of(std::uint32_t slot) {
    return static_cast<std::uint32_t>(mix(slot + 1));
  }

  std::uint64_t sites_ = 0;
  std::uint32_t weight_ = 0;  // the sum of weights, as if all were of the latest file: sites_ has the difference
  char const* file_;
};

}  // namespace pasta::detail
#endif
