// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_CUDA_COUNT_DISTINCT_HPP
#define PASTA_ANALYSIS_CUDA_COUNT_DISTINCT_HPP

#include <pasta/analysis/count_distinct.hpp>
#include <pasta/vendor/cuda.hpp>

namespace pasta::warp {

PASTA_DEVICE inline std::uint32_t count_distinct(lane_mask lanes, std::uint64_t value) {
  return count(ballot(lanes, lowest(detail::match(lanes, value)) == lane()));
}

}  // namespace pasta::warp
#endif
