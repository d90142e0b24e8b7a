// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_EMULATION_PTX_SPECIAL_REGISTERS_HPP
#define PASTA_TESTS_EMULATION_PTX_SPECIAL_REGISTERS_HPP

#include <cstdint>
#include <string_view>
#include <utility>

#include "code.hpp"

namespace ptx_emulation {

/// The row of a special register; warp_row_count for another name.
inline std::uint32_t special_row(std::string_view name) {
  constexpr std::pair<std::string_view, std::uint32_t> all[] = {{"%tid", tid_row},
                                                                {"%ntid", ntid_row},
                                                                {"%ctaid", ctaid_row},
                                                                {"%nctaid", nctaid_row},
                                                                {"%laneid", laneid_row},
                                                                {"%warpid", warpid_row},
                                                                {"%nwarpid", nwarpid_row},
                                                                {"%smid", smid_row},
                                                                {"%nsmid", nsmid_row},
                                                                {"%gridid", gridid_row},
                                                                {"%lanemask_eq", lanemask_eq_row},
                                                                {"%lanemask_lt", lanemask_lt_row},
                                                                {"%lanemask_le", lanemask_le_row},
                                                                {"%lanemask_gt", lanemask_gt_row},
                                                                {"%lanemask_ge", lanemask_ge_row},
                                                                {"%dynamic_smem_size", dynamic_smem_size_row},
                                                                {"%total_smem_size", total_smem_size_row}};
  std::uint32_t axis = 0;
  std::string_view base = name;
  if (name.size() > 2 && name[name.size() - 2] == '.') {
    base = name.substr(0, name.size() - 2);
    axis = static_cast<std::uint32_t>(name.back() - 'x');
    if (axis > 2) return warp_row_count;
  }
  for (auto const& [known, first] : all) {
    bool const has_axes = first < laneid_row;
    if (known == base && has_axes == (base.size() != name.size())) return first + axis;
  }
  return warp_row_count;
}

}  // namespace ptx_emulation
#endif
