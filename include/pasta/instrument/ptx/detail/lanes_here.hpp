// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which lanes are at an instruction together.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_LANES_HERE_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_LANES_HERE_HPP

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace pasta::ptx::detail {

/// Puts the mask of the lanes that are here together into a register. To be used wherever the mask is more than
/// compared with that of a whole warp: lanes that asked apart may be joined by the hardware before they use the answer,
/// while ptxas takes the answer of `activemask` for one that all lanes have alike (it adds for all of them what one
/// has, and syncs with the mask of one). The lane's own bit is set already; that it is set again keeps ptxas from that.
inline std::string lanes_here(std::string_view into) {
  return fmt::format(
      "\tactivemask.b32 \t{0};\n"
      "\t{{\n"
      "\t.reg .b32 \t%pasta_own, %pasta_place;\n"
      "\tmov.u32 \t%pasta_place, %laneid;\n"
      "\tmov.b32 \t%pasta_own, 1;\n"
      "\tshl.b32 \t%pasta_own, %pasta_own, %pasta_place;\n"
      "\tor.b32 \t{0}, {0}, %pasta_own;\n"
      "\t}}\n",
      into);
}

}  // namespace pasta::ptx::detail
#endif
