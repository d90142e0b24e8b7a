// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Makes a tool's results of what the ptx route collected.
#ifndef PASTA_SESSION_PTX_TOOL_ROWS_HPP
#define PASTA_SESSION_PTX_TOOL_ROWS_HPP

#include <map>
#include <pasta/session/make_section.hpp>
#include <pasta/session/ptx/collected.hpp>

namespace pasta::ptx {

/// Whether the ptx route has all that the tool needs.
template <class Tool>
inline constexpr bool can_collect_v =
    std::is_empty_v<typename Tool::site_state>&& std::is_empty_v<typename Tool::kernel_state>&&
        counts_v<Tool, memory_access> &&
    !handles_v<Tool, memory_access>;

/// @throws usage_error for options that the tool does not have, or that its handlers were built otherwise with
template <class Tool>
typename Tool::options read_options(std::vector<std::pair<std::string, std::string>> const& wanted) {
  pasta::detail::state_tuple<typename Tool::options> options{};
  pasta::detail::set_options(type_list<Tool>{}, options, wanted);
  return pasta::detail::get_state<0>(options);
}

namespace detail {
template <class Tool>
kernel_result<Tool> result_of(collected_kernel const& from) {
  kernel_result<Tool> kernel;
  kernel.name = from.name;
  kernel.grid = from.grid;
  kernel.block = from.block;
  kernel.has_one_shape = from.has_one_shape;
  kernel.shared_bytes = from.shared_bytes;
  kernel.losses = from.losses;
  std::map<site_info, site_result<Tool>> sites;
  for (collected_site const& each : from.sites) {
    if (!pasta::detail::watches<Tool>(each.where.what)) continue;
    site_result<Tool>& site = sites[each.where];
    site.site = each.where;
    site.executions += each.executions.value_or(0);
  }
  for (auto& each : sites) {
    kernel.losses.events_delivered += each.second.executions;
    kernel.sites.push_back(std::move(each.second));
  }
  return kernel;
}
}  // namespace detail

/// What the tool's report function gets.
template <class Tool>
results<Tool> results_of(collected const& from, typename Tool::options const& options) {
  results<Tool> found;
  found.options = options;
  found.kernels.reserve(from.kernels.size());
  for (collected_kernel const& each : from.kernels) found.kernels.push_back(detail::result_of<Tool>(each));
  return found;
}

}  // namespace pasta::ptx
#endif
