// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Part of instrument/ptx/classify.hpp.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_CLASSIFY_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_CLASSIFY_INL

#include <cstddef>
#include <cstdint>
#include <pasta/instrument/ptx/classify.hpp>
#include <pasta/instrument/ptx/control.hpp>
#include <pasta/instrument/ptx/detail/classify_barrier.hpp>
#include <pasta/instrument/ptx/detail/classify_copy.hpp>
#include <pasta/instrument/ptx/detail/classify_matrix.hpp>
#include <pasta/instrument/ptx/detail/classify_memory.hpp>
#include <string_view>

namespace pasta::ptx {

namespace detail {

inline site multimem_site(instruction const& what) {
  std::string_view const form = what.modifier(0);
  if (form == "cp") return copies(what, 1);
  if (form == "ld_reduce") return value_site(what, access_kind::load);
  if (form == "st") return value_site(what, access_kind::store);
  if (form == "red") return value_site(what, access_kind::atomic);
  return {};
}

inline site matrix_fragment_site(instruction const& what) {
  std::string_view const form = what.modifier(0);
  if (form == "load") return matrix_tile(what, access_kind::load);
  if (form == "store") return matrix_tile(what, access_kind::store);
  if (form == "mma") return product_site(what);
  return {};
}

/// Another block's tile comes as 16 bytes in shared memory.
inline site launch_control_site(instruction const& what) {
  if (what.modifier(0) != "try_cancel") return {};  // query_cancel reads registers
  access only = by_address(what, access_kind::store, space_of(what.opcode), 16);
  only.is_multicast = has_part_that_begins(what.opcode, "multicast::");
  return one_access(only);
}

inline bool only_mentions_memory(instruction const& what) {
  std::string_view const name = what.name;
  return name == "prefetch" || name == "prefetchu" || name == "applypriority" || name == "discard" ||
         name == "createpolicy" || name == "fence" || name == "txq" || name == "suq";
}

inline site jump_site(instruction const& what) {
  bool const is_indexed = what.name == "brx";
  if (!is_indexed && !what.guard) return {};
  site made = of_kind(site_kind::branch);
  if (is_indexed) made.why = obstacle::several;
  return made;
}

inline site call_site(instruction const& what) {
  site made = of_kind(site_kind::call);
  if (callee_operand(what) < what.operands.size()) made.operand = static_cast<std::uint8_t>(callee_operand(what));
  made.is_indirect = is_indirect_call(what);
  return made;
}

/// By the name; of kind none if the instruction is no site, or is not known.
inline site known_site(instruction const& what) {
  std::string_view const name = what.name;
  if (name == "ld" || name == "ldu") return value_site(what, access_kind::load);
  if (name == "st") return what.modifier(0) == "bulk" ? bulk_store(what) : value_site(what, access_kind::store);
  if (name == "atom" || name == "red") return value_site(what, access_kind::atomic);
  if (name == "bra" || name == "brx" || name == "ret" || name == "exit") return jump_site(what);
  if (name == "bar" || name == "barrier") return block_barrier(what);
  if (name == "call") return call_site(what);
  if (name == "cp") return copies(what, 0);
  if (name == "mbarrier") return object_barrier(what);
  if (name == "mma") return product_site(what);
  if (name == "wmma") return matrix_fragment_site(what);
  if (name == "wgmma") return warp_group_product(what);
  if (name == "tcgen05") return tensor_memory_site(what);
  if (name == "ldmatrix") return matrix_rows(what, access_kind::load);
  if (name == "stmatrix") return matrix_rows(what, access_kind::store);
  if (name == "multimem") return multimem_site(what);
  if (name == "tex" || name == "tld4") return by_coordinates(what, access_kind::load, state_space::texture);
  if (name == "suld") return by_coordinates(what, access_kind::load, state_space::surface);
  if (name == "sust") return by_coordinates(what, access_kind::store, state_space::surface);
  if (name == "sured") return by_coordinates(what, access_kind::atomic, state_space::surface);
  if (name == "tensormap") return tensor_map(what);
  if (name == "clusterlaunchcontrol") return launch_control_site(what);
  if (only_mentions_memory(what)) {
    return address_operand(what) != no_operand ? of_kind(site_kind::mention) : site{};
  }
  return {};
}

}  // namespace detail

inline site classify(instruction const& what) noexcept {
  site made = detail::known_site(what);
  if (made.kind == site_kind::none && detail::address_operand(what) != no_operand) made.kind = site_kind::unknown;
  return made;
}

}  // namespace pasta::ptx
#endif
