// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_REQUEST_SHAPE_HPP
#define PASTA_ANALYSIS_REQUEST_SHAPE_HPP

#include <pasta/config.hpp>

namespace pasta {

/// What a memory request (one access by the lanes of a warp together) asks of memory.
struct request_shape {
  std::uint32_t lanes = 0;           ///< active
  std::uint32_t sectors = 0;         ///< distinct sectors touched: what the hardware moves
  std::uint32_t sectors_needed = 0;  ///< sectors that the touched bytes would fill, side by side
  std::uint32_t distinct_bytes = 0;  ///< bytes touched at least once
  bool is_regular = false;        ///< two lanes or more, and the address grows by the same from each lane to the next
  std::int64_t stride_bytes = 0;  ///< that growth per lane number; 0 is a broadcast
};

}  // namespace pasta
#endif
