// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Addresses of instructions that access memory.
#ifndef PASTA_TESTS_EMULATION_PTX_ADDRESSING_HPP
#define PASTA_TESTS_EMULATION_PTX_ADDRESSING_HPP

#include "actions.hpp"
#include "spaces.hpp"

namespace ptx_emulation {

/// op::variant of an access: bits.
enum addressing : std::uint8_t { is_32_bits_wide = 1 };

/// The space that an opcode names.
inline space read_space(spelled const& text) {
  space found = space::generic;
  for (std::string_view const part : text.parts) {
    if (part == "global") found = space::global;
    if (part == "const") found = space::constant;
    if (part == "shared" || part == "shared::cta") found = space::shared;
    if (part == "local") found = space::local;
    if (part == "param" || part == "param::entry" || part == "param::func") found = space::parameter;
  }
  return found;
}

/// Sets the space, the offset and the place of the address.
inline void take_address(function_compiler& names, spelled const& text, std::string_view operand, place& at, op& into) {
  into.space = read_space(text);
  at = names.address(operand, into.value, into.space);
  std::string_view const base = pasta::ptx::read_address(operand).base;
  if (names.register_bits(base) == 32) into.variant |= is_32_bits_wide;
}

/// The 32 addresses; those of lanes that do not take part mean nothing.
inline void make_addresses(execution const& x, op const& o, place at, std::uint64_t (&addresses)[warp_lanes]) {
  const_row const base = x.at(at);
  auto const offset = static_cast<std::uint64_t>(o.value);
  std::uint64_t const mask = (o.variant & is_32_bits_wide) != 0 ? UINT32_MAX : ~std::uint64_t{0};
  for (unsigned i = 0; i < warp_lanes; ++i) addresses[i] = (base[i] + offset) & mask;
}

inline void tell(execution const& x, op const& o, lane_mask lanes, std::uint64_t const (&addresses)[warp_lanes]) {
  bool const is_memory =
      o.space != space::parameter && o.space != space::kernel_parameter && o.space != space::constant;
  if (x.observer != nullptr && is_memory)
    x.observer->on_access({&o, lanes, addresses, o.space, o.type.bytes() * o.count, 0});
}

}  // namespace ptx_emulation
#endif
