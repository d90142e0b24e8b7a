// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a module's text says of how its kernels may be launched, and the limit of registers that is put into it.
#ifndef PASTA_TOOLS_PTXAS_KERNEL_BOUNDS_HPP
#define PASTA_TOOLS_PTXAS_KERNEL_BOUNDS_HPP

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "occupancy.hpp"

namespace pasta::ptxas {

struct kernel_bounds {
  std::string name;
  std::uint32_t threads = 0;          ///< of a block: `.reqntid`, or the most of `.maxntid`; 0: it does not say
  bool are_threads_exact = false;     ///< `.reqntid`
  bool calls_functions = false;       ///< directly or through a pointer
  std::uint32_t added_registers = 0;  ///< that PASTA keeps over the whole kernel
  bool changes_registers = false;     ///< `setmaxnreg`

  block_sizes sizes() const;
};

/// @throws ptx::read_error
std::vector<kernel_bounds> read_bounds(std::string_view ptx);

/// The text with `.maxnreg` for the kernels that are named; one that is there is replaced. ptxas takes the directive
/// beside `.maxntid`, `.reqntid` and `.minnctapersm`, and instead of --maxrregcount.
/// @throws ptx::read_error
std::string with_register_limits(std::string_view ptx, std::map<std::string, std::uint32_t> const& limits);

}  // namespace pasta::ptxas
#endif
