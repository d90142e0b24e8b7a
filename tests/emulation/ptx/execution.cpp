// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "execution.hpp"

#include <fmt/format.h>

#include "spaces.hpp"

namespace ptx_emulation {

space execution::space_of(std::uint64_t generic) {
  if (is_in(shared_window, generic)) return space::shared;
  if (is_in(local_window, generic)) return space::local;
  if (is_in(parameter_window, generic)) return space::kernel_parameter;
  return space::global;
}

void execution::fail(fault_kind kind, op const& what, unsigned lane, std::uint64_t address) const {
  throw kernel_fault(
      kind, fmt::format("line {}: {}: lane {} of warp {} of block ({}, {}, {}): the address {:#x} is {}", what.line,
                        what.text, lane, warp_index, block_index[0], block_index[1], block_index[2], address,
                        kind == fault_kind::misaligned_address ? "no multiple of the access's size"
                                                               : "outside of every allocation"));
}

void execution::fail(fault_kind kind, op const& what, std::string_view why) const {
  throw kernel_fault(kind, fmt::format("line {}: {}: warp {} of block ({}, {}, {}): {}", what.line, what.text,
                                       warp_index, block_index[0], block_index[1], block_index[2], why));
}

}  // namespace ptx_emulation
