// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_COUNTERS_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_COUNTERS_INL

#include <algorithm>
#include <pasta/instrument/ptx/blocks.hpp>
#include <pasta/instrument/ptx/counters.hpp>

namespace pasta::ptx {
namespace detail {

/// Whether an instruction may write a register: it names it in another place than its guard. Reading it counts too,
/// which costs a counter and no more.
inline bool may_write(instruction const& what, std::string_view name) {
  auto const is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
  };
  return std::any_of(what.operands.begin(), what.operands.end(), [&](std::string_view operand) {
    for (std::size_t at = operand.find(name); at != std::string_view::npos; at = operand.find(name, at + 1)) {
      std::size_t const end = at + name.size();
      if (end == operand.size() || !is_part(operand[end])) return true;
    }
    return false;
  });
}

}  // namespace detail

template <class IsCounted>
counter_plan plan_counters(module const& from, function const& body, IsCounted&& is_counted) {
  // The counters that sites of the current block go on with.
  struct open_counter {
    ptx::guard guard;
    std::size_t scope;  // of the guard's name
    std::size_t counter;
  };
  counter_plan plan;
  blocks const parts(from, body);
  std::vector<open_counter> open;
  for (block const& each : parts.all()) {
    open.clear();
    for (std::size_t i = each.begin; i < each.end; ++i) {
      if (from.statements[i].kind != statement_kind::instruction) continue;
      instruction const read = read_instruction(from.statements[i].text);
      if (is_counted(read)) {
        // A branch is executed by all lanes: its guard is what they decide.
        ptx::guard const guard = ends_block(read) ? ptx::guard{} : read.guard;
        std::size_t const scope = guard ? parts.scope_of(i) : 0;
        auto found =
            std::find_if(open.begin(), open.end(), [&](auto const& o) { return o.guard == guard && o.scope == scope; });
        if (found == open.end()) {
          plan.counters.push_back({i, guard, each.loop_depth});
          found = open.insert(open.end(), {guard, scope, plan.counters.size() - 1});
        }
        plan.sites.push_back({i, found->counter});
      }
      std::erase_if(open, [&](auto const& o) { return o.guard && detail::may_write(read, o.guard.predicate); });
    }
  }
  return plan;
}

}  // namespace pasta::ptx
#endif
