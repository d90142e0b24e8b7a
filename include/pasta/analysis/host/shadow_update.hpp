// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_HOST_SHADOW_UPDATE_HPP
#define PASTA_ANALYSIS_HOST_SHADOW_UPDATE_HPP

#include <pasta/analysis/shadow_bits.hpp>

namespace pasta::detail {

inline std::uint32_t load_word(std::uint32_t const& word) {
  return std::atomic_ref<std::uint32_t>(const_cast<std::uint32_t&>(word)).load(std::memory_order_relaxed);
}

/// One lane's access. Workers share the arrays.
inline void update_shadow(shadow_view const& in, lane_mask, std::uint64_t address, std::uint64_t size_bytes) {
  if (in.ranges == nullptr) return;
  shadow_range const& range = *nearest_range(in, address);
  std::uint64_t const offset = address - range.address;
  std::uint64_t const known = offset < range.size_bytes ? range.size_bytes - offset : 0;
  if (size_bytes > known) simt::atomic_add(*in.unknown_accesses, 1);
  if (known == 0) return;
  simt::atomic_add(in.page_accesses[page_of(in, range, address)], 1);
  std::uint64_t const last_byte = address + (size_bytes < known ? size_bytes : known) - 1;
  std::uint32_t const last = line_of(in, range, last_byte);
  for (std::uint32_t line = line_of(in, range, address); line <= last; ++line) set_line(in, line);
}

}  // namespace pasta::detail
#endif
