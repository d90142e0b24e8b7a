// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which lanes access which memory together: enough to tell the events of two routes apart.
#ifndef PASTA_TESTS_EMULATION_HIP_SPACE_LANES_HPP
#define PASTA_TESTS_EMULATION_HIP_SPACE_LANES_HPP

#include <pasta/pasta.hpp>

struct space_lanes : pasta::tool<space_lanes> {
  using events = pasta::events<pasta::memory_access, pasta::barrier>;
  static constexpr std::string_view summary = "Counts lanes by space, with sums of their numbers.";
  struct site_state {
    pasta::count in_global, in_shared, in_local, groups, lane_sum, lane_squares;
  };
  using context = pasta::context<space_lanes>;

  PASTA_DEVICE static void on_memory_access(context& at, pasta::memory_access const& access) {
    add(at, access.lanes, access.space);
  }
  PASTA_DEVICE static void on_barrier(context& at, pasta::barrier const& arrival) {
    add(at, arrival.lanes, pasta::memory_space::global);
  }

  void report(pasta::results<space_lanes> const& found, pasta::report& out) const {
    using enum pasta::column_role;
    for (auto const& kernel : found.kernels) {
      auto columns = pasta::site_columns();
      for (char const* const name : {"in_global", "in_shared", "in_local", "groups", "lane_sum", "lane_squares"})
        columns.push_back({name, "", value});
      auto sites = out.kernel(kernel).table("sites", columns);
      for (auto const& row : kernel.sites) {
        auto const& state = row.state;
        sites.add(row.site, state.in_global.value(), state.in_shared.value(), state.in_local.value(),
                  state.groups.value(), state.lane_sum.value(), state.lane_squares.value());
      }
    }
  }

 private:
  PASTA_DEVICE static void add(context& at, pasta::lane_mask lanes, pasta::memory_space space) {
    std::uint64_t const lane = pasta::warp::lane();
    at.site().in_global.add(space == pasta::memory_space::global ? 1 : 0);
    at.site().in_shared.add(space == pasta::memory_space::shared ? 1 : 0);
    at.site().in_local.add(space == pasta::memory_space::local ? 1 : 0);
    at.site().lane_sum.add(lane);
    at.site().lane_squares.add(lane * lane);
    if (pasta::warp::is_leader(lanes)) at.site().groups.add();
  }
};

#endif
