// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_PATCH_EVENT_WATCH_HPP
#define PASTA_TESTS_PATCH_EVENT_WATCH_HPP

#include <pasta/pasta.hpp>

/// Counts everything that patches tell of.
struct event_watch : pasta::tool<event_watch> {
  using events = pasta::events<pasta::memory_access, pasta::async_copy, pasta::barrier, pasta::call,
                               pasta::thread_enter, pasta::thread_exit>;
  struct site_state {
    pasta::count events, lanes, bytes;
    pasta::max<std::uint64_t> highest;
  };
  struct kernel_state {
    pasta::count accesses, copies, barriers, calls, entered, ended;
    pasta::max<std::uint64_t> callee;
  };

  template <class Event>
  PASTA_DEVICE static void add(pasta::context<event_watch>& at, Event const& event, std::uint64_t bytes) {
    at.site().bytes.add(bytes);
    if (!pasta::warp::is_leader(event.lanes)) return;
    at.site().events.add();
    at.site().lanes.add(pasta::warp::count(event.lanes));
  }
  PASTA_DEVICE static void on_memory_access(pasta::context<event_watch>& at, pasta::memory_access const& a) {
    add(at, a, a.size_bytes);
    at.site().highest.observe(a.address);
    at.kernel().accesses.add();
  }
  PASTA_DEVICE static void on_async_copy(pasta::context<event_watch>& at, pasta::async_copy const& a) {
    add(at, a, a.size_bytes);
    at.kernel().copies.add();
  }
  PASTA_DEVICE static void on_barrier(pasta::context<event_watch>& at, pasta::barrier const& a) {
    add(at, a, 0);
    at.kernel().barriers.add();
  }
  PASTA_DEVICE static void on_call(pasta::context<event_watch>& at, pasta::call const& a) {
    add(at, a, 0);
    at.kernel().calls.add();
    at.kernel().callee.observe(a.callee_address);
  }
  PASTA_DEVICE static void on_thread_enter(pasta::context<event_watch>& at, pasta::thread_enter const&) {
    at.kernel().entered.add();
  }
  PASTA_DEVICE static void on_thread_exit(pasta::context<event_watch>& at, pasta::thread_exit const&) {
    at.kernel().ended.add();
  }
  void report(pasta::results<event_watch> const&, pasta::report&) const {}
};

/// What the patch route refuses, each for another reason.
struct keeps_threads : pasta::tool<keeps_threads> {
  using events = pasta::events<pasta::memory_access>;
  struct thread_state {
    std::uint32_t accesses = 0;
  };
  struct kernel_state {
    pasta::count accesses;
  };
  PASTA_DEVICE static void on_memory_access(pasta::context<keeps_threads>& at, pasta::memory_access const&) {
    ++at.thread().accesses;
  }
  PASTA_DEVICE static void fold(thread_state& state, pasta::context<keeps_threads>& at) {
    at.kernel().accesses.add(state.accesses);
    state = {};
  }
  void report(pasta::results<keeps_threads> const&, pasta::report&) const {}
};
struct sees_branches : pasta::tool<sees_branches> {
  using counts = pasta::counted<pasta::branch, pasta::memory_access>;
  void report(pasta::results<sees_branches> const&, pasta::report&) const {}
};
struct sees_launches : pasta::tool<sees_launches> {
  using events = pasta::events<pasta::kernel_end>;
  static void on_kernel_end(pasta::context<sees_launches>&, pasta::kernel_end const&) {}
  void report(pasta::results<sees_launches> const&, pasta::report&) const {}
};

#endif
