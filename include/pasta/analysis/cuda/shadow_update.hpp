// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_CUDA_SHADOW_UPDATE_HPP
#define PASTA_ANALYSIS_CUDA_SHADOW_UPDATE_HPP

#include <pasta/analysis/gpu/shadow_request.hpp>

namespace pasta::detail {

PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t load_word(std::uint32_t const& word) {
  return *const_cast<std::uint32_t const volatile*>(&word);
}

PASTA_DEVICE PASTA_ALWAYS_INLINE void update_shadow(shadow_view const& in, lane_mask lanes, std::uint64_t address,
                                                    std::uint64_t size_bytes) {
  if (in.ranges != nullptr) update_shadow_of(in, lanes, address, size_bytes);
}

}  // namespace pasta::detail

#endif
