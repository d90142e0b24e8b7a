// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The tool that is held against a GPU's own counters: warp-level requests and 32-byte sectors of each site.
#ifndef PASTA_TESTS_CONFORMANCE_REQUEST_COUNTER_HPP
#define PASTA_TESTS_CONFORMANCE_REQUEST_COUNTER_HPP

#include <pasta/pasta.hpp>

struct request_counter : pasta::tool<request_counter> {
  using events = pasta::events<pasta::memory_access>;
  struct site_state {
    pasta::count requests, sectors;
  };
  static void on_memory_access(pasta::context<request_counter>& at, pasta::memory_access const& access) {
    pasta::request_shape const shape = pasta::coalesce(access, 32);
    if (!pasta::warp::is_leader(access.lanes)) return;
    at.site().requests.add();
    at.site().sectors.add(shape.sectors);
  }
  void report(pasta::results<request_counter> const&, pasta::report&) const {}
};

#endif
