// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The tool of the conformance suite: it keeps, by mergeable state alone, enough of each site's events to tell them
/// from others.
#ifndef PASTA_TESTS_CONFORMANCE_OBSERVER_HPP
#define PASTA_TESTS_CONFORMANCE_OBSERVER_HPP

#include <pasta/pasta.hpp>

struct observer : pasta::tool<observer> {
  using events = pasta::events<pasta::memory_access, pasta::async_copy, pasta::barrier, pasta::branch,
                               pasta::matrix_operation, pasta::block_enter, pasta::block_exit, pasta::thread_enter,
                               pasta::thread_exit, pasta::kernel_begin, pasta::kernel_end>;
  using counts = pasta::counted<pasta::memory_access>;
  struct site_state {
    pasta::count lanes, requests;  // lane events; warp-level requests
    pasta::count address_sum,
        address_squares;  // of address / 4, wrapping; together they tell most multisets of addresses apart
    pasta::count source_bytes, taken;
    pasta::count multiply_adds;    // of products, each told by one lane
    pasta::histogram<64> by_lane;  // lane events of each lane number
  };
  struct thread_state {
    std::uint32_t accesses = 0;
  };
  struct kernel_state {
    pasta::count blocks_entered, blocks_left, threads_entered, threads_left, accesses_folded, begins, ends;
    pasta::max<std::uint32_t> most_accesses_of_a_thread;
  };

  static void fold(thread_state& mine, pasta::context<observer>& at) {
    at.kernel().accesses_folded.add(mine.accesses);
    at.kernel().most_accesses_of_a_thread.observe(mine.accesses);
    mine.accesses = 0;
  }
  static void on_memory_access(pasta::context<observer>& at, pasta::memory_access const& access) {
    see(at, access.lanes);
    at.site().address_sum.add(access.address / 4);
    at.site().address_squares.add(access.address / 4 * (access.address / 4));
    ++at.thread().accesses;
  }
  static void on_async_copy(pasta::context<observer>& at, pasta::async_copy const& copy) {
    see(at, copy.lanes);
    at.site().source_bytes.add(copy.source_size_bytes);
  }
  static void on_barrier(pasta::context<observer>& at, pasta::barrier const& arrival) { see(at, arrival.lanes); }
  static void on_branch(pasta::context<observer>& at, pasta::branch const& decision) {
    see(at, decision.lanes);
    at.site().taken.add((decision.taken >> pasta::warp::lane()) & 1);
  }
  static void on_matrix_operation(pasta::context<observer>& at, pasta::matrix_operation const& product) {
    see(at, product.lanes);
    if (!pasta::warp::is_leader(product.lanes)) return;
    at.site().multiply_adds.add(std::uint64_t{product.m} * product.n * product.k);
  }
  static void on_block_enter(pasta::context<observer>& at, pasta::block_enter const&) {
    at.kernel().blocks_entered.add();
  }
  static void on_block_exit(pasta::context<observer>& at, pasta::block_exit const&) { at.kernel().blocks_left.add(); }
  static void on_thread_enter(pasta::context<observer>& at, pasta::thread_enter const&) {
    at.kernel().threads_entered.add();
  }
  static void on_thread_exit(pasta::context<observer>& at, pasta::thread_exit const&) {
    at.kernel().threads_left.add();
  }
  static void on_kernel_begin(pasta::context<observer>& at, pasta::kernel_begin const&) { at.kernel().begins.add(); }
  static void on_kernel_end(pasta::context<observer>& at, pasta::kernel_end const&) { at.kernel().ends.add(); }

  void report(pasta::results<observer> const&, pasta::report&) const {}

 private:
  static void see(pasta::context<observer>& at, pasta::lane_mask lanes) {
    at.site().lanes.add();
    at.site().by_lane.add(pasta::warp::lane());
    if (pasta::warp::is_leader(lanes)) at.site().requests.add();
  }
};

#endif
