// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_COLLECTING_LAUNCH_SAMPLER_HPP
#define PASTA_TOOLS_COLLECTING_LAUNCH_SAMPLER_HPP

#include <cstdint>

namespace pasta::collecting {

/// Which launches of a kernel a sampling rate takes. Guarded by its owner.
class launch_sampler {
 public:
  /// @param rate above 0, at most 1 @return whether the launch that is offered is taken: as on the probe route, the
  /// share never exceeds the rate by a whole launch, and a kernel's first is always in
  bool takes(double rate) {
    ++offered_;
    bool const is_in = static_cast<double>(taken_) < rate * static_cast<double>(offered_);
    if (is_in) ++taken_;
    return is_in;
  }

 private:
  std::uint64_t offered_ = 0, taken_ = 0;
};

}  // namespace pasta::collecting
#endif
