// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_HOST_CLOCK_HPP
#define PASTA_VENDOR_HOST_CLOCK_HPP

#include <time.h>

#include <pasta/vendor/traits.hpp>

namespace pasta {

/// CLOCK_MONOTONIC: the time base that the other vendors' clocks are brought to.
template <>
struct get_nanoseconds<vendor::host> {
  std::uint64_t operator()() const noexcept {
    timespec now{};
    if (::clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
  }
};

}  // namespace pasta
#endif
