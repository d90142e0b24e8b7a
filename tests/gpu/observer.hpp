// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The tools of the conformance suite: they keep, by mergeable state alone, enough of each site's events to tell them
/// from others.
#ifndef PASTA_TESTS_GPU_OBSERVER_HPP
#define PASTA_TESTS_GPU_OBSERVER_HPP

#include <pasta/pasta.hpp>

/// How often each access, copy, barrier and branch was executed. No handler runs.
struct counter : pasta::tool<counter> {
  using counts = pasta::counted<pasta::memory_access, pasta::async_copy, pasta::barrier, pasta::branch>;
  void report(pasta::results<counter> const&, pasta::report&) const {}
};

/// What accesses and copies say of themselves. No thread has state of its own, and counts are kept in registers.
struct kind_observer : pasta::tool<kind_observer> {
  using events = pasta::events<pasta::memory_access, pasta::async_copy>;
  struct site_state {
    pasta::count loads, stores, atomics, copies;
    pasta::count bytes;         // written by a copy
    pasta::count source_bytes;  // read by it
    pasta::count address_sum;   // of address / 4, wrapping
  };
  PASTA_DEVICE static void on_memory_access(pasta::context<kind_observer>& at, pasta::memory_access const& access) {
    if (access.kind == pasta::access_kind::load) at.site().loads.add();
    if (access.kind == pasta::access_kind::store) at.site().stores.add();
    if (access.kind == pasta::access_kind::atomic) at.site().atomics.add();
    at.site().bytes.add(access.size_bytes);
    at.site().address_sum.add(access.address / 4);
  }
  PASTA_DEVICE static void on_async_copy(pasta::context<kind_observer>& at, pasta::async_copy const& copy) {
    at.site().copies.add();
    at.site().bytes.add(copy.size_bytes);
    at.site().source_bytes.add(copy.source_size_bytes);
    at.site().address_sum.add(copy.source_address / 4);
  }
  void report(pasta::results<kind_observer> const&, pasta::report&) const {}
};

/// Nearly all that events say, and all that a thread knows of itself.
struct observer : pasta::tool<observer> {
  using events =
      pasta::events<pasta::memory_access, pasta::async_copy, pasta::barrier, pasta::branch, pasta::block_enter,
                    pasta::block_exit, pasta::thread_enter, pasta::thread_exit, pasta::kernel_begin, pasta::kernel_end>;
  using counts = pasta::counted<pasta::memory_access>;
  struct site_state {
    pasta::count lanes, requests;  // lane events; warp-level requests
    pasta::count address_sum,
        address_squares;  // of address / 4, wrapping; together they tell most multisets of addresses apart
    pasta::count source_bytes, taken;
    pasta::histogram<32> by_lane;  // lane events of each lane number
  };
  struct thread_state {
    std::uint32_t accesses = 0;
  };
  struct kernel_state {
    pasta::count blocks_entered, blocks_left, threads_entered, threads_left, accesses_folded, begins, ends;
    pasta::max<std::uint32_t> most_accesses_of_a_thread;
  };

  PASTA_DEVICE static void fold(thread_state& mine, pasta::context<observer>& at) {
    at.kernel().accesses_folded.add(mine.accesses);
    at.kernel().most_accesses_of_a_thread.observe(mine.accesses);
    mine.accesses = 0;
  }
  PASTA_DEVICE static void on_memory_access(pasta::context<observer>& at, pasta::memory_access const& access) {
    see(at, access);
    at.site().address_sum.add(access.address / 4);
    at.site().address_squares.add(access.address / 4 * (access.address / 4));
    ++at.thread().accesses;
  }
  PASTA_DEVICE static void on_async_copy(pasta::context<observer>& at, pasta::async_copy const& copy) {
    see(at, copy);
    at.site().source_bytes.add(copy.source_size_bytes);
  }
  PASTA_DEVICE static void on_barrier(pasta::context<observer>& at, pasta::barrier const& arrival) { see(at, arrival); }
  PASTA_DEVICE static void on_branch(pasta::context<observer>& at, pasta::branch const& decision) {
    see(at, decision);
    at.site().taken.add((decision.taken >> pasta::warp::lane()) & 1);
  }
  PASTA_DEVICE static void on_block_enter(pasta::context<observer>& at, pasta::block_enter const&) {
    at.kernel().blocks_entered.add();
  }
  PASTA_DEVICE static void on_block_exit(pasta::context<observer>& at, pasta::block_exit const&) {
    at.kernel().blocks_left.add();
  }
  PASTA_DEVICE static void on_thread_enter(pasta::context<observer>& at, pasta::thread_enter const&) {
    at.kernel().threads_entered.add();
  }
  PASTA_DEVICE static void on_thread_exit(pasta::context<observer>& at, pasta::thread_exit const&) {
    at.kernel().threads_left.add();
  }
  static void on_kernel_begin(pasta::context<observer>& at, pasta::kernel_begin const&) { at.kernel().begins.add(); }
  static void on_kernel_end(pasta::context<observer>& at, pasta::kernel_end const&) { at.kernel().ends.add(); }

  void report(pasta::results<observer> const&, pasta::report&) const {}

 private:
  template <class Event>
  PASTA_DEVICE static void see(pasta::context<observer>& at, Event const& event) {
    at.site().lanes.add();
    at.site().by_lane.add(pasta::warp::lane());
    if (pasta::warp::is_leader(event)) at.site().requests.add();
  }
};

#endif
