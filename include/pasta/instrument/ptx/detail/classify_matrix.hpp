// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Products of matrices, and tcgen05 with its tensor memory.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_CLASSIFY_MATRIX_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_CLASSIFY_MATRIX_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <pasta/instrument/ptx/detail/classify_barrier.hpp>
#include <pasta/instrument/ptx/detail/classify_copy.hpp>
#include <pasta/instrument/ptx/detail/classify_memory.hpp>
#include <pasta/instrument/ptx/detail/opcode_parts.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/site.hpp>
#include <string_view>

namespace pasta::ptx::detail {

/// mma, wmma.mma, wgmma.mma_async. The types stand in the order D, A, B, C; wgmma has no C, and wmma's product of f16
/// names D and C only.
inline site product_site(instruction const& what) {
  site made = of_kind(site_kind::matrix);
  std::array<std::string_view, 4> types;
  std::size_t count = 0;
  std::optional<matrix_shape> shape;
  opcode_parts parts(what.opcode);
  for (std::string_view part = parts.next(); !part.empty(); part = parts.next()) {
    if (!shape) shape = read_shape(part);
    if (count < types.size() && bits_of(part) != 0) types[count++] = part;
    // `sp`, `sp::ordered_metadata`
    if (part == "sp" || part.starts_with("sp::")) made.product.is_sparse = true;
  }
  if (!shape || count < 2) {
    made.why = obstacle::unknown_type;
    return made;
  }
  matrix_product& product = made.product;
  product.m = static_cast<std::uint16_t>(shape->m);
  product.n = static_cast<std::uint16_t>(shape->n);
  product.k = static_cast<std::uint16_t>(shape->k);
  product.d = types[0];
  product.a = count == 2 ? "f16" : types[1];
  product.b = count == 2 ? "f16" : types[2];
  if (what.name == "mma" && shape->m == 8 && shape->k == 4 && product.a == "f16") product.count = 4;
  return made;
}

/// A tile of shared memory that a descriptor in this operand names.
inline access by_descriptor(std::uint8_t operand, share by) {
  access made = out_of_sight(access_kind::load, state_space::shared, obstacle::descriptor, operand);
  made.share = by;
  return made;
}

/// wgmma.mma_async: A lies in registers or, as B always, in shared memory.
inline site warp_group_product(instruction const& what) {
  if (what.modifier(0) != "mma_async") return {};  // fence, commit_group, wait_group
  site made = product_site(what);
  made.product.lanes = 128;
  for (std::uint8_t operand = 1; operand <= 2 && operand < what.operands.size(); ++operand) {
    if (!what.operands[operand].starts_with('{')) made.add(by_descriptor(operand, share::warp_group));
  }
  return made;
}

/// tcgen05.mma: shape and types stand in an instruction descriptor. D, and what else is in brackets (A, metadata,
/// scales), lies in tensor memory.
inline site tensor_product(instruction const& what) {
  site made = of_kind(site_kind::matrix);
  made.why = obstacle::descriptor;
  made.product.lanes = 1;
  made.product.is_sparse = what.has("sp");
  for (std::size_t i = 0; i < what.operands.size() && i < no_operand; ++i) {
    auto const operand = static_cast<std::uint8_t>(i);
    if (what.operands[i].starts_with('[')) {
      made.add(out_of_sight(i == 0 ? access_kind::store : access_kind::load, state_space::tensor_memory,
                            obstacle::tensor_memory, operand));
    } else if (i == 1 || i == 2) {
      made.add(by_descriptor(operand, share::lane));
    }
  }
  return made;
}

/// tcgen05.ld, .st: of the warp, of a shape and how often.
inline site tensor_memory_rows(instruction const& what, access_kind kind) {
  auto const bits = first_of(what.opcode, read_row_bits);
  std::uint32_t const size = bits.value_or(0) * repetitions_of(what.opcode).value_or(0) / 8;
  access only = by_address(what, kind, state_space::tensor_memory, size);
  only.share = share::warp;
  if (only.why == obstacle::none) only.why = obstacle::tensor_memory;
  return one_access(only);
}

/// `tcgen05.cp.cta_group::1.128x256b [taddr], s-desc`: shared memory to tensor memory, some shapes to several places.
inline site tensor_memory_copy(instruction const& what) {
  auto const bits = first_of(what.opcode, read_row_bits);
  access source = by_descriptor(1, share::lane);
  access destination = by_address(what, access_kind::store, state_space::tensor_memory, bits.value_or(0) / 8);
  if (destination.why == obstacle::none) destination.why = obstacle::tensor_memory;
  destination.is_multicast = has_part_that_begins(what.opcode, "warpx");
  if (bits) {
    source.size = size_source::text;
    source.size_bytes = *bits / 8;
  }
  return copy_site(source, destination);
}

inline site tensor_memory_site(instruction const& what) {
  std::string_view const form = what.modifier(0);
  if (form == "mma") return tensor_product(what);
  if (form == "ld") return tensor_memory_rows(what, access_kind::load);
  if (form == "st") return tensor_memory_rows(what, access_kind::store);
  if (form == "cp") return tensor_memory_copy(what);
  if (form == "alloc") {
    // The warp gets the address of what it asked for in shared memory.
    access only = by_address(what, access_kind::store, space_of(what.opcode), 4);
    only.share = share::warp;
    return one_access(only);
  }
  if (form == "commit") {
    site made = barrier_site(barrier_scope::block, barrier_role::arrive_later);
    if (space_of(what.opcode) == state_space::shared_cluster) made.scope = barrier_scope::cluster;
    made.operand = address_operand(what);
    return made;
  }
  if (form == "shift") {
    site made = of_kind(site_kind::access);
    for (access_kind const kind : {access_kind::load, access_kind::store}) {
      made.add(out_of_sight(kind, state_space::tensor_memory, obstacle::tensor_memory, address_operand(what)));
    }
    return made;
  }
  return {};
}

}  // namespace pasta::ptx::detail
#endif
