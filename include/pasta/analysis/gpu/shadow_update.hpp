// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_GPU_SHADOW_UPDATE_HPP
#define PASTA_ANALYSIS_GPU_SHADOW_UPDATE_HPP

#include <pasta/analysis/gpu/shadow_request.hpp>
#include <pasta/analysis/gpu/uniform.hpp>

namespace pasta::detail {

// Not volatile: of such the compiler does not find out whose memory it is.
PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t load_word(std::uint32_t const& word) {
  return __hip_atomic_load(&word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// The view is one for all lanes: the compiler does not know that, nor that its pointers are to the GPU's memory.
PASTA_DEVICE PASTA_ALWAYS_INLINE void update_shadow(shadow_view const& from, lane_mask lanes, std::uint64_t address,
                                                    std::uint64_t size_bytes) {
  shadow_view const in{uniform_pointer(from.ranges),          uniform_pointer(from.lines),
                       uniform_pointer(from.page_accesses),   uniform_pointer(from.unknown_accesses),
                       PASTA_OF_FIRST_LANE(from.range_count), PASTA_OF_FIRST_LANE(from.line_shift),
                       PASTA_OF_FIRST_LANE(from.page_shift)};
  if (in.ranges != nullptr) update_shadow_of(in, lanes, address, size_bytes);
}

}  // namespace pasta::detail
#endif
