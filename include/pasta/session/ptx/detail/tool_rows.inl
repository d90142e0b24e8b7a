// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_PTX_DETAIL_TOOL_ROWS_INL
#define PASTA_SESSION_PTX_DETAIL_TOOL_ROWS_INL

#include <pasta/session/ptx/tool_rows.hpp>

namespace pasta::ptx {
namespace detail {

/// Calls f(shard's row, what is shared or null) for each shard of each row; what is shared comes once.
template <class Function>
void for_each_shard(std::vector<row_bytes> const& rows, Function&& f) {
  for (row_bytes const& row : rows) {
    for (std::uint32_t shard = 0; shard < row.shard_count; ++shard)
      f(row.first_shard + shard * row.shard_stride, shard == 0 ? row.shared : nullptr);
  }
}

/// The rows that are as the tool lays them out; a module may have been built with another version of it.
inline std::vector<row_bytes> rows_of_size(std::vector<row_bytes> const& rows, std::uint32_t shard_bytes,
                                           std::uint32_t shared_bytes, loss& losses) {
  std::vector<row_bytes> fitting;
  std::string const why = "its module was built with another version of the tool: build it again";
  for (row_bytes const& row : rows) {
    if (row.shard_bytes == shard_bytes && row.shared_bytes == shared_bytes) {
      fitting.push_back(row);
    } else if (losses.not_instrumentable.empty() || losses.not_instrumentable.back() != why) {
      losses.not_instrumentable.push_back(why);
    }
  }
  return fitting;
}

template <class State>
void merge_row(State& into, std::byte const* shard, std::byte const* shared) {
  if constexpr (!std::is_empty_v<State>) merge_state(into, pasta::detail::read_row<State>(shard, shared));
}

template <class Tool>
class result_reader {
 public:
  using layout = pasta::detail::hook_layout<Tool>;

  explicit result_reader(results<Tool>& into) : into_(&into) {}

  void add(collected_kernel const& from) {
    kernel_result<Tool>& kernel = into_->kernels.emplace_back();
    kernel.name = from.name;
    kernel.range = from.range;
    kernel.launch = from.launch;
    kernel.route = from.route;
    kernel.grid = from.grid;
    kernel.block = from.block;
    kernel.has_one_shape = from.has_one_shape;
    kernel.shared_bytes = from.shared_bytes;
    kernel.losses = from.losses;
    if constexpr (pasta::detail::has_shadow_v<Tool>) kernel.touched = from.touched;
    std::map<site_info, site_result<Tool>> sites;
    std::array<double, sample_part_count> part_events{};
    for (collected_site const& each : from.sites) {
      if (!pasta::detail::watches<Tool>(each.where.what)) continue;
      site_result<Tool>& site = sites[each.where];
      std::uint64_t const before = site.executions;
      add_site(each, kernel, site);
      for (std::size_t part = 0; part < each.part_executions.size(); ++part)
        part_events[part % sample_part_count] += each.part_executions[part];
      if (each.part_executions.empty()) part_events[each.part] += static_cast<double>(site.executions - before);
    }
    if (from.sampled) kernel.sampling = from.sampled->estimated(from.block_rate, part_events);
    if constexpr (has_handlers_v<Tool>) add_function(from, kernel);
    for (auto& [where, site] : sites) {
      if (site.executions == 0) continue;  // as where rows are made when a site is first executed
      site.site = where;
      kernel.losses.events_delivered += site.executions;
      kernel.sites.push_back(std::move(site));
    }
  }

 private:
  void add_site(collected_site const& from, kernel_result<Tool>& kernel, site_result<Tool>& to) {
    bool const is_counted = pasta::detail::counts_at<Tool>(from.where.what);
    if (is_counted) to.executions += from.executions.value_or(0);
    if constexpr (has_handlers_v<Tool>) {
      if (!pasta::detail::handles_at<Tool>(from.where.what)) return;
      std::uint64_t lanes = 0;
      auto const rows = rows_of_size(from.rows, layout::site_shard_bytes, layout::site_shared_bytes, kernel.losses);
      for_each_shard(rows, [&](std::byte const* shard, std::byte const* shared) {
        lanes += pasta::detail::read_executions(shard);
        merge_row(to.state, shard, layout::site_shared_bytes > 0 ? shared : nullptr);
      });
      if constexpr (handles_v<Tool, memory_access>) lanes += add_in_order(from, kernel, to);
      if (!is_counted) to.executions += lanes;
      tell_unhandled(from, kernel.losses);
    }
  }
  // @return the executions [lanes]
  std::uint64_t add_in_order(collected_site const& from, kernel_result<Tool>& kernel, site_result<Tool>& to) {
    std::uint64_t lanes = 0;
    for (requests_in_order const& each : from.in_order) {
      auto const settled = settler_.settle(from.where, each.first_byte, each.count);
      lanes += settled.executions;
      merge(to.state, settled.site);
      merge(kernel.kernel, settled.kernel);
      merge(kernel.launch_state, settled.launch);
      merge(into_->program, settled.program);
    }
    return lanes;
  }
  template <class State>
  static void merge(State& into, State const& from) {
    if constexpr (!std::is_empty_v<State>) merge_state(into, from);
  }
  static void tell_unhandled(collected_site const& from, loss& losses) {
    if (from.unhandled.empty() || from.executions == std::uint64_t{0}) return;
    losses.events_dropped += from.executions.value_or(0);
    losses.not_instrumentable.push_back(fmt::format("{} at {}:{} ({}): {}", to_string(from.where.what),
                                                    from.where.file.empty() ? "?" : from.where.file, from.where.line,
                                                    from.opcode, from.unhandled));
  }
  void add_function(collected_kernel const& from, kernel_result<Tool>& kernel) {
    if constexpr (layout::function_shard_bytes + layout::function_shared_bytes > 0) {
      auto const rows =
          rows_of_size(from.function_rows, layout::function_shard_bytes, layout::function_shared_bytes, kernel.losses);
      for_each_shard(rows, [&](std::byte const* shard, std::byte const* shared) {
        auto const at = [](std::byte const* begin, std::uint32_t offset) {
          return begin == nullptr ? nullptr : begin + offset;
        };
        merge_row(kernel.kernel, shard, shared);
        merge_row(kernel.launch_state, shard + layout::launch_shard, at(shared, layout::launch_shared));
        merge_row(into_->program, shard + layout::program_shard, at(shared, layout::program_shared));
      });
    }
  }

  results<Tool>* into_;
  settler_of<Tool> settler_;
};

}  // namespace detail

template <class Tool>
typename Tool::options read_options(std::vector<std::pair<std::string, std::string>> const& wanted) {
  using options_type = typename Tool::options;
  pasta::detail::state_tuple<options_type> read{};
  pasta::detail::set_options(type_list<Tool>{}, read, wanted);
  options_type const& options = pasta::detail::get_state<0>(read);
  if constexpr (has_handlers_v<Tool>) {
    options_type const built{};
    pasta::detail::for_each_option<options_type>([&](auto const& known) {
      if (known.use == option_use::report || options.*known.member == built.*known.member) return;
      throw usage_error(fmt::format("--{}: on the route ptx the handlers of {} have {}, as they were built", known.name,
                                    tool_name<Tool>(), pasta::detail::option_text(built.*known.member)));
    });
  }
  return options;
}

template <class Tool>
results<Tool> results_of(collected const& from, typename Tool::options const& options) {
  results<Tool> found;
  found.options = options;
  found.kernels.reserve(from.kernels.size());
  detail::result_reader<Tool> reader(found);
  for (collected_kernel const& each : from.kernels) reader.add(each);
  return found;
}

}  // namespace pasta::ptx
#endif
