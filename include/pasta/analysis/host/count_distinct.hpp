// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_HOST_COUNT_DISTINCT_HPP
#define PASTA_ANALYSIS_HOST_COUNT_DISTINCT_HPP

#include <algorithm>
#include <array>
#include <pasta/analysis/count_distinct.hpp>
#include <pasta/vendor/host.hpp>

namespace pasta::warp {

inline std::uint32_t count_distinct(lane_mask lanes, std::uint64_t value) {
  auto const combine = [](std::uint64_t const* values, lane_mask all, std::uint64_t) {
    std::array<std::uint64_t, simt::max_warp_width> found;
    std::size_t count = 0;
    bool is_rising = true;
    detail::for_each_lane(all, [&](std::uint32_t lane) {
      is_rising = is_rising && (count == 0 || found[count - 1] <= values[lane]);
      found[count++] = values[lane];
    });
    if (!is_rising) std::sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
    return static_cast<std::uint64_t>(std::unique(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count)) -
                                      found.begin());
  };
  return static_cast<std::uint32_t>(detail::exchange(lanes, value, combine));
}

}  // namespace pasta::warp
#endif
