// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A tool that watches what only a compiler sees too.
#ifndef PASTA_TESTS_LLVM_ALL_EVENTS_HPP
#define PASTA_TESTS_LLVM_ALL_EVENTS_HPP

#include <pasta/pasta.hpp>

struct all_events : pasta::tool<all_events> {
  using events = pasta::events<pasta::memory_access, pasta::branch, pasta::call>;
  struct site_state {
    pasta::count lanes, taken;
    pasta::max<std::uint64_t> callee;
  };
  static void on_memory_access(pasta::context<all_events>& at, pasta::memory_access const&) { at.site().lanes.add(); }
  static void on_branch(pasta::context<all_events>& at, pasta::branch const& decision) {
    at.site().lanes.add();
    at.site().taken.add((decision.taken >> pasta::warp::lane()) & 1);
  }
  static void on_call(pasta::context<all_events>& at, pasta::call const& made) {
    at.site().lanes.add();
    at.site().callee.observe(made.callee_address);
  }
  void report(pasta::results<all_events> const&, pasta::report&) const {}
};

/// The same, counted.
struct all_counts : pasta::tool<all_counts> {
  using counts = pasta::counted<pasta::memory_access, pasta::branch, pasta::call>;
  void report(pasta::results<all_counts> const&, pasta::report&) const {}
};

PASTA_PROBE_TOOLS(all_events, all_counts)

#endif
