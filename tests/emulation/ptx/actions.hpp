// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Actions of instructions that compute: one for each type, chosen when a module is loaded.
#ifndef PASTA_TESTS_EMULATION_PTX_ACTIONS_HPP
#define PASTA_TESTS_EMULATION_PTX_ACTIONS_HPP

#include <cstdint>
#include <utility>

#include "compiler.hpp"
#include "execution.hpp"

namespace ptx_emulation {

template <class T, class Function>
void unary(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) { return bits_of(Function{}(as<T>(a[i]))); });
}
template <class T, class Function>
void binary(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]), b = x.at(o.at[2]);
  write_lanes(lanes, x.at(o.at[0]), [&](unsigned i) { return bits_of(Function{}(as<T>(a[i]), as<T>(b[i]))); });
}
template <class T, class Function>
void ternary(execution& x, op const& o, lane_mask lanes) {
  const_row const a = x.at(o.at[1]), b = x.at(o.at[2]), c = x.at(o.at[3]);
  write_lanes(lanes, x.at(o.at[0]),
              [&](unsigned i) { return bits_of(Function{}(as<T>(a[i]), as<T>(b[i]), as<T>(c[i]))); });
}

/// Calls `make.operator()<T>()` with the C++ type of an integer, at least 16 bits wide. @throws unknown_code
template <class Make>
auto for_integer(spelled const& text, scalar type, Make&& make) {
  if (type.is_integer()) {
    switch (type.bits) {
      case 16:
        return type.is_signed() ? make.template operator()<std::int16_t>() : make.template operator()<std::uint16_t>();
      case 32:
        return type.is_signed() ? make.template operator()<std::int32_t>() : make.template operator()<std::uint32_t>();
      case 64:
        return type.is_signed() ? make.template operator()<std::int64_t>() : make.template operator()<std::uint64_t>();
      default:
        break;
    }
  }
  text.refuse("its type is not known");
}
/// The same for `.f32` and `.f64`, and integers.
template <class Make>
auto for_number(spelled const& text, scalar type, Make&& make) {
  if (type.is_floating() && type.bits == 32) return make.template operator()<float>();
  if (type.is_floating() && type.bits == 64) return make.template operator()<double>();
  return for_integer(text, type, make);
}

/// One result, and sources of one type.
inline void take_operands(function_compiler& names, spelled const& text, op& into, std::size_t sources, scalar type) {
  text.expect_operands(sources + 1);
  into.type = type;
  into.at[0] = names.destination(text.operand(0));
  for (std::size_t i = 1; i <= sources; ++i) into.at[i] = names.source(text.operand(i), type);
}

using builders = std::vector<std::pair<std::string_view, builder>>;
builders arithmetic_builders();
builders wide_builders();
builders bit_builders();
builders floating_builders();
builders compare_builders();
builders convert_builders();
builders move_builders();
builders memory_builders();
builders atomic_builders();
/// bar.warp.sync
void build_warp_barrier(function_compiler& names, spelled const& text, op& into);
builders exchange_builders();
builders control_builders();
builders matrix_builders();

}  // namespace ptx_emulation
#endif
