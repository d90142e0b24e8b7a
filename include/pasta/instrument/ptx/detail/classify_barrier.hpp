// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// bar, barrier, mbarrier.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_CLASSIFY_BARRIER_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_CLASSIFY_BARRIER_HPP

#include <cstddef>
#include <pasta/instrument/ptx/detail/classify_memory.hpp>
#include <pasta/instrument/ptx/detail/opcode_parts.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/site.hpp>
#include <string_view>

namespace pasta::ptx::detail {

inline site barrier_site(barrier_scope scope, barrier_role role) {
  site made = of_kind(site_kind::barrier);
  made.scope = scope;
  made.role = role;
  return made;
}

/// bar.sync, barrier.cta.arrive, bar.warp.sync, barrier.cluster.wait, …
inline site block_barrier(instruction const& what) {
  std::string_view part = what.modifier(0);
  barrier_scope scope = barrier_scope::block;
  if (part == "warp" || part == "cluster" || part == "cta") {
    if (part == "warp") scope = barrier_scope::warp;
    if (part == "cluster") scope = barrier_scope::cluster;
    part = what.modifier(1);
  }
  if (part == "sync" || part == "red") return barrier_site(scope, barrier_role::synchronize);
  if (part == "arrive") return barrier_site(scope, barrier_role::arrive);
  if (part == "wait") return barrier_site(scope, barrier_role::wait);
  return {};
}

/// mbarrier.*: the scope is that of the object's place, for which other blocks may arrive only in shared::cluster.
inline site object_barrier(instruction const& what) {
  bool const is_far = space_of(what.opcode) == state_space::shared_cluster;
  site made = barrier_site(is_far ? barrier_scope::cluster : barrier_scope::block, barrier_role::maintain);
  made.operand = address_operand(what);
  std::string_view const part = what.modifier(0);
  if (part == "arrive" || part == "arrive_drop") {
    made.role = barrier_role::arrive;
  } else if (part == "test_wait" || part == "try_wait") {
    made.role = barrier_role::wait;
  } else if (part != "init" && part != "inval" && part != "expect_tx" && part != "complete_tx") {
    return {};  // pending_count reads a register
  }
  return made;
}

}  // namespace pasta::ptx::detail
#endif
