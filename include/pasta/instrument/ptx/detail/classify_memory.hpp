// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Instructions that read or write memory and do no more.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_CLASSIFY_MEMORY_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_CLASSIFY_MEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <pasta/instrument/ptx/detail/opcode_parts.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/site.hpp>
#include <string_view>

namespace pasta::ptx::detail {

inline site of_kind(site_kind kind) {
  site made;
  made.kind = kind;
  return made;
}

/// The n-th operand in brackets, from 0; no_operand if there are not so many.
inline std::uint8_t address_operand(instruction const& what, std::size_t n = 0) {
  for (std::size_t i = 0; i < what.operands.size() && i < no_operand; ++i) {
    if (what.operands[i].starts_with('[') && n-- == 0) return static_cast<std::uint8_t>(i);
  }
  return no_operand;
}

/// An access by address. A size of 0 is one that is not known.
inline access by_address(instruction const& what, access_kind kind, state_space space, std::uint32_t size_bytes,
                         std::size_t n = 0) {
  access made;
  made.kind = kind;
  made.space = space;
  made.size = size_bytes != 0 ? size_source::text : size_source::unknown;
  made.size_bytes = size_bytes;
  made.address_operand = address_operand(what, n);
  if (size_bytes == 0) made.why = obstacle::unknown_type;
  if (made.address_operand == no_operand) made.why = obstacle::no_address;
  return made;
}

/// An access of which neither size nor address is known here.
inline access out_of_sight(access_kind kind, state_space space, obstacle why, std::uint8_t operand) {
  access made;
  made.kind = kind;
  made.space = space;
  made.size = size_source::unknown;
  made.why = why;
  made.address_operand = operand;
  return made;
}

inline site one_access(access const& only) {
  site made = of_kind(site_kind::access);
  made.add(only);
  return made;
}

/// `{%f1, _, %f3, _}`: an element `_` is not written.
inline bool has_sink(std::string_view vector) {
  constexpr std::string_view around = " \t\r\n,{}";
  for (std::size_t at = 0; (at = vector.find('_', at)) != std::string_view::npos; ++at) {
    bool const begins = at > 0 && around.find(vector[at - 1]) != std::string_view::npos;
    bool const ends = at + 1 < vector.size() && around.find(vector[at + 1]) != std::string_view::npos;
    if (begins && ends) return true;
  }
  return false;
}

/// ld, ldu, st, atom, red, st.async, red.async, multimem.*: a value, or a vector of them, at an address.
inline site value_site(instruction const& what, access_kind kind) {
  if (first_of(what.opcode,
               [](std::string_view part) { return is_parameter_space(part) ? std::optional(0) : std::nullopt; })) {
    return of_kind(site_kind::parameter);
  }
  access only = by_address(what, kind, space_of(what.opcode), value_bytes(what.opcode));
  only.is_multicast = what.name == "multimem";
  if (kind == access_kind::store && what.operands.size() > 1 && has_sink(what.operands[1])) only.limit = limit::mask;
  return one_access(only);
}

/// st.bulk: zeros, as many bytes as an operand says.
inline site bulk_store(instruction const& what) {
  access only = by_address(what, access_kind::store, space_of(what.opcode), 0);
  if (only.why == obstacle::unknown_type) only.why = obstacle::none;
  only.size = size_source::operand;
  only.size_operand = 1;
  return one_access(only);
}

/// ldmatrix, stmatrix: each row of a matrix has 16 bytes, and a lane of its own holds its address.
inline site matrix_rows(instruction const& what, access_kind kind) {
  auto const shape = first_of(what.opcode, read_shape);
  auto const count = repetitions_of(what.opcode);
  access only = by_address(what, kind, space_of(what.opcode), 16);
  only.share = share::rows;
  // m8n8, m8n16 and (by columns) m16n8: 8 rows, m16n16: 16.
  std::uint32_t const rows = shape && shape->m == 16 && shape->n == 16 ? 16 : 8;
  if (shape && count && rows * *count <= 32) {
    only.lanes = static_cast<std::uint8_t>(rows * *count);
  } else {
    only.why = obstacle::unknown_type;
  }
  return one_access(only);
}

/// wmma.load.a, .b, .c and wmma.store.d: a tile of the warp.
inline site matrix_tile(instruction const& what, access_kind kind) {
  auto const shape = first_of(what.opcode, read_shape);
  auto const type = first_of(what.opcode, read_type);
  std::uint32_t elements = 0;
  if (shape && type) {
    std::string_view const matrix = what.modifier(1);
    elements = matrix == "a" ? shape->m * shape->k : matrix == "b" ? shape->k * shape->n : shape->m * shape->n;
  }
  access only = by_address(what, kind, space_of(what.opcode), elements * bits_of(type.value_or("")) / 8);
  only.share = share::warp;
  if (only.why == obstacle::none) only.why = obstacle::tile;
  return one_access(only);
}

/// tex, tld4, suld, sust, sured. Sizes are those of a lane's values; none for a texture and for a formatted store,
/// where the texture's or surface's format decides.
inline site by_coordinates(instruction const& what, access_kind kind, state_space space) {
  bool const is_formatted = space == state_space::texture || what.modifier(0) == "p";
  access only = by_address(what, kind, space, is_formatted ? 0 : value_bytes(what.opcode));
  if (only.why == obstacle::none || is_formatted) only.why = obstacle::coordinates;
  return one_access(only);
}

/// tensormap.replace and tensormap.cp_fenceproxy.
inline site tensor_map(instruction const& what) {
  if (what.modifier(0) == "replace") {
    return one_access(out_of_sight(access_kind::store, space_of(what.opcode), obstacle::object, address_operand(what)));
  }
  if (what.modifier(0) != "cp_fenceproxy") return {};
  site made = of_kind(site_kind::access);
  space_pair const spaces = read_spaces(what.opcode);  // the destination's, the source's
  auto const side = [&](access_kind kind, std::optional<state_space> space, std::size_t n) {
    access each = by_address(what, kind, space.value_or(state_space::generic), 128, n);
    each.share = share::warp;
    return each;
  };
  made.add(side(access_kind::load, spaces.second, 1));
  made.add(side(access_kind::store, spaces.first, 0));
  return made;
}

}  // namespace pasta::ptx::detail
#endif
