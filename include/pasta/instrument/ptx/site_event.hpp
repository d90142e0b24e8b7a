// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which event an instruction is beside its accesses, as tools name it.
#ifndef PASTA_INSTRUMENT_PTX_SITE_EVENT_HPP
#define PASTA_INSTRUMENT_PTX_SITE_EVENT_HPP

#include <algorithm>
#include <optional>
#include <pasta/instrument/ptx/hook.hpp>
#include <pasta/instrument/ptx/site.hpp>
#include <pasta/instrument/site.hpp>
#include <span>

namespace pasta::ptx {

/// None for instructions that are accesses at most, and for barriers at which no lane arrives.
constexpr std::optional<hook_function> event_of(site const& where) {
  switch (where.kind) {
    case site_kind::copy:
      return hook_function::async_copy;
    case site_kind::barrier:
      if (is_arrival(where)) return hook_function::barrier;
      break;
    case site_kind::branch:
      return hook_function::branch;
    case site_kind::call:
      return hook_function::call;
    case site_kind::matrix:
      return hook_function::matrix_operation;
    default:
      break;
  }
  return std::nullopt;
}

/// As reports name it. @param event of event_of()
constexpr operation to_operation(hook_function event) {
  switch (event) {
    case hook_function::async_copy:
      return operation::copy;
    case hook_function::barrier:
      return operation::barrier;
    case hook_function::branch:
      return operation::branch;
    case hook_function::call:
      return operation::call;
    default:
      return operation::matrix;
  }
}

inline bool is_handled(std::span<hook const> hooks, hook_function event) {
  return std::any_of(hooks.begin(), hooks.end(), [&](hook const& each) { return each.handles(event); });
}
inline bool is_counted(std::span<hook const> hooks, hook_function event) {
  return std::any_of(hooks.begin(), hooks.end(), [&](hook const& each) { return each.counts(event); });
}
/// Whether any tool counts what happens at a site.
inline bool is_counted(std::span<hook const> hooks, site const& where) {
  if (where.access_count > 0 && is_counted(hooks, hook_function::memory_access)) return true;
  auto const event = event_of(where);
  return event && is_counted(hooks, *event);
}

}  // namespace pasta::ptx
#endif
