// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "kernel_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pasta/report/visible.hpp>
#include <utility>

#include "demangled.hpp"
#include "memory_rows.hpp"

namespace pasta::collecting {

ptx::collected_kernel& kernel_sections::of(std::string const& name, bool& is_new, std::string const& range,
                                           std::optional<std::uint64_t> launch) {
  auto const [known, was_added] = numbers_.try_emplace({name, range, launch}, into_->kernels.size());
  is_new = was_added;
  if (was_added) {
    ptx::collected_kernel& made = into_->kernels.emplace_back();
    made.name = demangled(name);
    made.range = range;
    made.launch = launch;
    made.has_one_shape = false;
  }
  return into_->kernels[known->second];
}

void add_sample(sample_count const& from, ptx::collected_kernel& to) {
  if (!to.sampled) to.sampled.emplace();
  to.sampled->add(from);
}

std::string why_without(ptx::read_table const& table, std::string const& tool) {
  if (std::find(table.tools.begin(), table.tools.end(), tool) != table.tools.end()) return "";
  std::string names;
  for (std::string const& name : table.tools) names += (names.empty() ? "" : ", ") + visible(name);
  return fmt::format("it was built with {}, not with {}", names.empty() ? "no tool" : names, tool);
}

void add_launches(launch_counts const& from, std::uint64_t left_out, std::string const& why_not, bool is_new,
                  ptx::collected_kernel& to) {
  std::uint64_t const launches = from.launches.load(), wanted = launches - std::min(launches, left_out);
  to.losses.launches_seen += launches;
  to.losses.launches_sampled_out += left_out;
  if (!why_not.empty() && wanted > 0) {
    add_once(to.losses.not_instrumentable, fmt::format("{} launch{}: {}", wanted, wanted == 1 ? "" : "es", why_not));
  } else if (wanted > 0) {
    std::uint64_t const delivered = std::min(wanted, from.delivered);
    to.losses.launches_delivered += delivered;
    to.losses.launches_lost += wanted - delivered;
  }
  if (is_new) {
    to.grid = from.first.grid;
    to.block = from.first.block;
    to.has_one_shape = true;
  }
  to.has_one_shape =
      to.has_one_shape && from.has_one_shape && to.grid == from.first.grid && to.block == from.first.block;
  to.shared_bytes = std::max(to.shared_bytes, from.shared_bytes.load());
}

bool add_others(memory_layout const& layout, std::vector<kept_copy const*> copies,
                std::set<std::size_t> const& launched, std::string const& tool, std::string const& how,
                kernel_sections& to) {
  memory_rows const rows(layout, std::move(copies), tool);
  bool has_functions = false;
  for (std::size_t i = 0; i < layout.table->functions.size(); ++i) {
    ptx::read_table::function const& function = layout.table->functions[i];
    if (launched.count(i) != 0 || !rows.is_executed(function)) continue;
    bool is_new = false;
    ptx::collected_kernel& kernel = to.of(function.name, is_new);
    rows.add_function(function, kernel);
    has_functions = has_functions || !function.is_entry;
    if (function.is_entry) add_once(kernel.losses.not_instrumentable, how);
  }
  return has_functions;
}

}  // namespace pasta::collecting
