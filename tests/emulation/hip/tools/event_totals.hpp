// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Handles each event that the llvm route has on a GPU, and keeps state of each kind.
#ifndef PASTA_TESTS_EMULATION_HIP_EVENT_TOTALS_HPP
#define PASTA_TESTS_EMULATION_HIP_EVENT_TOTALS_HPP

#include <pasta/pasta.hpp>

struct event_totals : pasta::tool<event_totals> {
  using events = pasta::events<pasta::memory_access, pasta::barrier, pasta::branch, pasta::matrix_operation,
                               pasta::call, pasta::thread_enter, pasta::thread_exit>;
  static constexpr std::string_view summary = "Counts every event.";
  struct site_state {
    pasta::count lanes, groups, taken;
    pasta::max<std::uint32_t> most_lanes;
    pasta::log2_histogram<8> lanes_of_groups;
  };
  struct thread_state {
    std::uint32_t accesses = 0, begun = 7;
  };
  struct kernel_state {
    pasta::count entered, exited, accesses, begun;
  };
  using context = pasta::context<event_totals>;

  PASTA_DEVICE static void on_memory_access(context& at, pasta::memory_access const& access) {
    add(at, access.lanes);
    ++at.thread().accesses;
  }
  PASTA_DEVICE static void on_barrier(context& at, pasta::barrier const& barrier) { add(at, barrier.lanes); }
  PASTA_DEVICE static void on_branch(context& at, pasta::branch const& branch) {
    add(at, branch.lanes);
    at.site().taken.add(branch.taken >> pasta::warp::lane() & 1);
  }
  PASTA_DEVICE static void on_matrix_operation(context& at, pasta::matrix_operation const& product) {
    add(at, product.lanes);
  }
  PASTA_DEVICE static void on_call(context& at, pasta::call const& call) {
    if (call.callee_address != 0) add(at, call.lanes);
  }
  PASTA_DEVICE static void on_thread_enter(context& at, pasta::thread_enter const&) { at.kernel().entered.add(); }
  PASTA_DEVICE static void on_thread_exit(context& at, pasta::thread_exit const&) { at.kernel().exited.add(); }
  PASTA_DEVICE static void fold(thread_state& state, context& at) {
    at.kernel().accesses.add(state.accesses);
    at.kernel().begun.add(state.begun);
    state = {};
    state.begun = 0;
  }

  void report(pasta::results<event_totals> const& found, pasta::report& out) const {
    using enum pasta::column_role;
    for (auto const& kernel : found.kernels) {
      auto totals = out.kernel(kernel).table(
          "totals", {{"entered", "", value}, {"exited", "", value}, {"accesses", "", value}, {"begun", "", value}});
      totals.add(kernel.kernel.entered.value(), kernel.kernel.exited.value(), kernel.kernel.accesses.value(),
                 kernel.kernel.begun.value());
      auto columns = pasta::site_columns();
      for (char const* const name : {"executions", "lanes", "groups", "taken", "most", "whole"})
        columns.push_back({name, "", value});
      auto sites = out.kernel(kernel).table("sites", columns);
      for (auto const& row : kernel.sites) {
        sites.add(row.site, row.executions, row.state.lanes.value(), row.state.groups.value(), row.state.taken.value(),
                  row.state.most_lanes.value_or(0), row.state.lanes_of_groups.value(7));
      }
    }
  }

 private:
  PASTA_DEVICE static void add(context& at, pasta::lane_mask lanes) {
    at.site().lanes.add();
    if (!pasta::warp::is_leader(lanes)) return;
    at.site().groups.add();
    at.site().most_lanes.observe(pasta::warp::count(lanes));
    at.site().lanes_of_groups.add(pasta::warp::count(lanes));
  }
};

#endif
