// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Tools that watch all that happens on a GPU but memory accesses, and tools that keep a state of each thread.
#ifndef PASTA_TESTS_GPU_EVENT_TOOLS_HPP
#define PASTA_TESTS_GPU_EVENT_TOOLS_HPP

#include <pasta/pasta.hpp>

struct event_watch : pasta::tool<event_watch> {
  using events = pasta::events<pasta::async_copy, pasta::barrier, pasta::branch, pasta::matrix_operation, pasta::call,
                               pasta::thread_enter, pasta::thread_exit>;
  struct site_state {
    pasta::count lanes;   // added by each lane for itself
    pasta::count groups;  // of lanes that are together
    pasta::count sum, other;
    pasta::max<std::uint64_t> highest;
  };
  struct kernel_state {
    pasta::count entered, ended, groups_entered, groups_ended;
  };
  using context = pasta::context<event_watch>;

  PASTA_DEVICE static void on_async_copy(context& at, pasta::async_copy const& copy) {
    add(at, copy.lanes);
    at.site().sum.add(copy.size_bytes);
    at.site().other.add(copy.source_size_bytes + 100 * static_cast<std::uint64_t>(copy.destination_space));
    at.site().highest.observe(copy.source_address);
  }
  PASTA_DEVICE static void on_barrier(context& at, pasta::barrier const& barrier) {
    add(at, barrier.lanes);
    at.site().sum.add(static_cast<std::uint64_t>(barrier.scope));
  }
  PASTA_DEVICE static void on_branch(context& at, pasta::branch const& branch) {
    add(at, branch.lanes);
    bool const is_taken = (branch.taken >> pasta::warp::lane() & 1) != 0;
    at.site().sum.add(is_taken);
    at.site().other.add((branch.taken & ~branch.lanes) != 0);
  }
  PASTA_DEVICE static void on_matrix_operation(context& at, pasta::matrix_operation const& product) {
    add(at, product.lanes);
    if (!pasta::warp::is_leader(product.lanes)) return;
    at.site().sum.add(std::uint64_t{product.m} * product.n * product.k);
    at.site().other.add(16 * static_cast<std::uint64_t>(product.input) +
                        static_cast<std::uint64_t>(product.accumulator));
  }
  PASTA_DEVICE static void on_call(context& at, pasta::call const& call) {
    add(at, call.lanes);
    at.site().sum.add(call.callee_address != 0);
    at.site().highest.observe(call.callee_address);
  }
  PASTA_DEVICE static void on_thread_enter(context& at, pasta::thread_enter const& event) {
    at.kernel().entered.add();
    at.kernel().groups_entered.add(pasta::warp::is_leader(event.lanes));
  }
  PASTA_DEVICE static void on_thread_exit(context& at, pasta::thread_exit const& event) {
    at.kernel().ended.add();
    at.kernel().groups_ended.add(pasta::warp::is_leader(event.lanes));
  }
  void report(pasta::results<event_watch> const&, pasta::report&) const {}

 private:
  PASTA_DEVICE static void add(context& at, pasta::lane_mask lanes) {
    at.site().lanes.add();
    at.site().groups.add(pasta::warp::is_leader(lanes));
  }
};

/// Adds up in its state, which begins with something.
struct thread_sum : pasta::tool<thread_sum> {
  using events = pasta::events<pasta::memory_access, pasta::barrier, pasta::branch>;
  static constexpr std::uint32_t first = 7;
  struct thread_state {
    std::uint64_t bytes = 0;
    std::uint32_t begun = first, barriers = 0;
    std::uint16_t taken = 0;
    bool has_stored = false;
  };
  struct kernel_state {
    pasta::count bytes, begun, barriers, taken, have_stored;
  };
  using context = pasta::context<thread_sum>;

  PASTA_DEVICE static void on_memory_access(context& at, pasta::memory_access const& access) {
    at.thread().bytes += access.size_bytes;
    if (access.kind == pasta::access_kind::store) at.thread().has_stored = true;
  }
  PASTA_DEVICE static void on_barrier(context& at, pasta::barrier const&) { ++at.thread().barriers; }
  PASTA_DEVICE static void on_branch(context& at, pasta::branch const& branch) {
    if ((branch.taken >> pasta::warp::lane() & 1) != 0) ++at.thread().taken;
  }
  PASTA_DEVICE static void fold(thread_state& state, context& at) {
    at.kernel().bytes.add(state.bytes);
    at.kernel().begun.add(state.begun);
    at.kernel().barriers.add(state.barriers);
    at.kernel().taken.add(state.taken);
    at.kernel().have_stored.add(state.has_stored);
    state = {};
    state.begun = 0;
  }
  void report(pasta::results<thread_sum> const&, pasta::report&) const {}
};

/// Only counts.
struct event_counts : pasta::tool<event_counts> {
  using counts = pasta::counted<pasta::memory_access, pasta::async_copy, pasta::barrier, pasta::branch,
                                pasta::matrix_operation, pasta::call>;
  void report(pasta::results<event_counts> const&, pasta::report&) const {}
};

#endif
