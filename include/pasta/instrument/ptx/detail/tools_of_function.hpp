// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The tools as a function has them, where some of them are without their handlers.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_TOOLS_OF_FUNCTION_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_TOOLS_OF_FUNCTION_HPP

#include <algorithm>
#include <pasta/instrument/ptx/event_sites.hpp>
#include <pasta/instrument/ptx/hook_sites.hpp>
#include <span>
#include <vector>

namespace pasta::ptx::detail {

// Whether anything in the function reaches a handler.
inline bool concerns(module const& from, function const& body, std::span<hook const> hooks) {
  if (has_thread_events(from, body, hooks)) return true;
  hook_totals none;
  plan_hooks(from, body, hooks, register_room::little, none);
  plan_events(from, body, hooks, none.rows);
  return none.rows != 0;
}

/// Tools that keep a state of threads and get nothing of the function are without handlers. Empty: there is none.
inline std::vector<hook> concerned_tools(module const& from, function const& body, std::span<hook const> hooks) {
  std::vector<hook> own;
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    if (!hooks[i].has_state() || concerns(from, body, hooks.subspan(i, 1))) continue;
    if (own.empty()) own.assign(hooks.begin(), hooks.end());
    own[i] = own[i].silent();
  }
  return own;
}

/// So are those that are left out. @param own what concerned_tools() returned
inline void leave_out(std::span<left_out_tool const> without, std::span<hook const> hooks, std::vector<hook>& own) {
  if (without.empty()) return;
  if (own.empty()) own.assign(hooks.begin(), hooks.end());
  for (hook& each : own) {
    if (std::any_of(without.begin(), without.end(), [&](auto const& tool) { return tool.tool == each.tool(); }))
      each = each.silent();
  }
}

}  // namespace pasta::ptx::detail
#endif
