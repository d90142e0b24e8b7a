// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Most warps of a kernel do the same: execute the same sites as often, with requests that are alike. What they did is
/// kept once, as a pattern, and counted: one addition to memory for a warp instead of one for each site. Device code.
#ifndef PASTA_INSTRUMENT_CUDA_PATTERNS_HPP
#define PASTA_INSTRUMENT_CUDA_PATTERNS_HPP

#include <pasta/analysis/cuda/site_locator.hpp>
#include <pasta/instrument/cuda/alike_requests.hpp>

namespace pasta::detail {

inline constexpr std::uint32_t pattern_count = 16;

/// What each lane of a warp did at one site.
struct pattern_site {
  device_word executions;
  std::uint32_t requests, unused;  // a request_word
};

struct pattern_table {
  device_word hashes[pattern_count];                 // 0: free
  pattern_site sites[pattern_count][row_count + 1];  // by row; the last: executions of sites that found none
};

/// Records what a lane did at a site in a new pattern. @param row no_row if it found none
PASTA_DEVICE PASTA_ALWAYS_INLINE void record_site(pattern_table* table, std::uint32_t number, std::uint32_t row,
                                                  device_word executions, std::uint32_t requests) {
  if (row == no_row) {
    add_word(&table->sites[number][row_count].executions, executions + request_word::count(requests));
  } else {
    table->sites[number][row] = {executions, requests, 0};
  }
}

}  // namespace pasta::detail
#endif
