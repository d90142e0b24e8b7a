// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_GPU_COUNT_DISTINCT_HPP
#define PASTA_ANALYSIS_GPU_COUNT_DISTINCT_HPP

#include <pasta/analysis/count_distinct.hpp>
#include <pasta/vendor/current.hpp>

namespace pasta::warp {

PASTA_DEVICE inline std::uint32_t count_distinct(lane_mask lanes, std::uint64_t value) {
  std::uint32_t found = 0;
  PASTA_NO_UNROLL
  for (lane_mask left = lanes; left != 0; ++found) {
    left &= ~ballot(lanes, value == detail::read(value, lowest(left)));
  }
  return found;
}

}  // namespace pasta::warp
#endif
