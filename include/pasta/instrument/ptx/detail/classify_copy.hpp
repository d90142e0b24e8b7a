// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// cp.*, cp.reduce.* and their multimem forms.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_CLASSIFY_COPY_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_CLASSIFY_COPY_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <pasta/instrument/ptx/detail/classify_memory.hpp>
#include <pasta/instrument/ptx/detail/opcode_parts.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/site.hpp>
#include <string_view>

namespace pasta::ptx::detail {

inline bool is_literal(std::string_view operand) { return !operand.empty() && operand[0] >= '0' && operand[0] <= '9'; }

inline bool has_part_that_begins(std::string_view opcode, std::string_view beginning) {
  return first_of(opcode,
                  [&](std::string_view part) { return part.starts_with(beginning) ? std::optional(0) : std::nullopt; })
      .has_value();
}

/// Source before destination, as in site_kind::copy. In the text the destination comes first.
inline site copy_site(access source, access destination) {
  site made = of_kind(site_kind::copy);
  made.why = source.why != obstacle::none ? source.why : destination.why;
  made.add(source);
  made.add(destination);
  return made;
}

/// `cp.async.ca.shared.global [dst], [src], 16{, src-size or ignore-src}{, cache-policy}`.
inline site copy_of_lane(instruction const& what) {
  std::uint32_t const size = what.operands.size() > 2 ? read_literal(what.operands[2]).value_or(0) : 0;
  space_pair const spaces = read_spaces(what.opcode);
  access source = by_address(what, access_kind::load, spaces.second.value_or(state_space::global), size, 1);
  access const destination = by_address(what, access_kind::store, spaces.first.value_or(state_space::shared), size, 0);
  std::size_t const plain = what.has("L2::cache_hint") ? 4 : 3;
  if (what.operands.size() > plain) {
    source.limit_operand = 3;
    source.limit = is_literal(what.operands[3]) ? limit::bytes : limit::bytes_or_predicate;
  }
  return copy_site(source, destination);
}

/// `cp.async.bulk.DST.SRC… [dst], [src], size, …`, also cp.reduce.async.bulk and both with multimem.
inline site copy_of_bytes(instruction const& what, access_kind kind) {
  space_pair const spaces = read_spaces(what.opcode);
  auto const side = [&](access_kind of, std::optional<state_space> space, std::size_t n) {
    access each = by_address(what, of, space.value_or(state_space::generic), 0, n);
    if (each.why == obstacle::unknown_type) each.why = obstacle::none;
    each.size = size_source::operand;
    each.size_operand = 2;
    return each;
  };
  access source = side(access_kind::load, spaces.second, 1), destination = side(kind, spaces.first, 0);
  if (what.has("cp_mask")) destination.limit = limit::mask;
  if (has_part_that_begins(what.opcode, "ignore_oob")) source.limit = limit::mask;
  destination.is_multicast = what.name == "multimem" || has_part_that_begins(what.opcode, "multicast::");
  return copy_site(source, destination);
}

/// `cp.async.bulk.tensor.2d.DST.SRC… [dst], [map, {x, y}], …` or `[map, {x, y}], [src]`, also cp.reduce.
inline site copy_of_tensor(instruction const& what, access_kind kind) {
  space_pair const spaces = read_spaces(what.opcode);
  auto const side = [&](access_kind of, std::optional<state_space> space, std::size_t n) {
    return out_of_sight(of, space.value_or(state_space::generic), obstacle::tensor_map, address_operand(what, n));
  };
  access destination = side(kind, spaces.first, 0);
  destination.is_multicast = has_part_that_begins(what.opcode, "multicast::");
  return copy_site(side(access_kind::load, spaces.second, 1), destination);
}

/// cp.* and cp.reduce.* @param first index of the modifier behind `cp`.
inline site copies(instruction const& what, std::size_t first) {
  bool const reduces = what.modifier(first) == "reduce";
  std::size_t const at = first + (reduces ? 1 : 0);
  access_kind const kind = reduces ? access_kind::atomic : access_kind::store;
  if (what.modifier(at) != "async") return {};
  std::string_view const form = what.modifier(at + 1);
  if (form == "ca" || form == "cg") return copy_of_lane(what);
  if (form == "commit_group" || form == "wait_group" || form == "wait_all") return {};
  if (form == "mbarrier") {
    site made = of_kind(site_kind::barrier);
    made.role = barrier_role::arrive_later;
    made.operand = address_operand(what);
    return made;
  }
  if (form != "bulk") return {};
  std::string_view const bulk = what.modifier(at + 2);
  if (bulk == "prefetch") return of_kind(site_kind::mention);
  if (bulk == "tensor") return copy_of_tensor(what, kind);
  if (address_operand(what) == no_operand) return {};  // commit_group, wait_group
  return copy_of_bytes(what, kind);
}

}  // namespace pasta::ptx::detail
#endif
