// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_COUNT_DISTINCT_HPP
#define PASTA_ANALYSIS_COUNT_DISTINCT_HPP

#include <pasta/config.hpp>

namespace pasta::warp {

/// How many different values the lanes give; every lane of `lanes` must call it and gets the number.
PASTA_DEVICE std::uint32_t count_distinct(lane_mask lanes, std::uint64_t value);

}  // namespace pasta::warp

#include PASTA_ANALYSIS_OF_VENDOR(count_distinct)

#endif
