// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_SESSION_SITE_LANES_HPP
#define PASTA_TESTS_SESSION_SITE_LANES_HPP

#include <pasta/pasta.hpp>

/// A small tool with options of every kind.
struct site_lanes : pasta::tool<site_lanes> {
  using events = pasta::events<pasta::memory_access, pasta::allocation, pasta::deallocation, pasta::memory_copy,
                               pasta::memory_set, pasta::synchronization>;
  struct options {
    std::uint32_t factor = 1;
    double weight = 1;
    bool is_loud = false;
    static constexpr auto describe() {
      return std::tuple{pasta::option("factor", &options::factor, "counts each lane this often", 1, 100),
                        pasta::option("weight", &options::weight, "a number without an effect", 0, 10),
                        pasta::option("is-loud", &options::is_loud, "a switch without an effect")};
    }
  };
  struct site_state {
    pasta::count lanes;
  };
  PASTA_DEVICE static void on_memory_access(pasta::context<site_lanes>& at, pasta::memory_access const&) {
    at.site().lanes.add(at.options().factor);
  }
  struct program_state {
    pasta::count allocated, released, copied, set, synchronizations;
  };
  static void on_allocation(pasta::context<site_lanes>& at, pasta::allocation const& event) {
    at.program().allocated.add(event.size_bytes);
  }
  static void on_deallocation(pasta::context<site_lanes>& at, pasta::deallocation const& event) {
    at.program().released.add(event.size_bytes);
  }
  static void on_memory_copy(pasta::context<site_lanes>& at, pasta::memory_copy const& event) {
    at.program().copied.add(event.size_bytes);
  }
  static void on_memory_set(pasta::context<site_lanes>& at, pasta::memory_set const& event) {
    at.program().set.add(event.size_bytes);
  }
  static void on_synchronization(pasta::context<site_lanes>& at, pasta::synchronization const&) {
    at.program().synchronizations.add();
  }
  void report(pasta::results<site_lanes> const& found, pasta::report& out) const {
    for (auto const& kernel : found.kernels) {
      auto columns = pasta::site_columns();
      columns.push_back({"lanes", "", pasta::column_role::value});
      auto sites = out.kernel(kernel).table("sites", columns);
      for (auto const& row : kernel.sites) sites.add(row.site, row.state.lanes.value());
    }
    auto const& host = found.program;
    out.program()
        .table("host", {{"allocated", "bytes"},
                        {"released", "bytes"},
                        {"copied", "bytes"},
                        {"set", "bytes"},
                        {"synchronizations", ""}})
        .add(host.allocated.value(), host.released.value(), host.copied.value(), host.set.value(),
             host.synchronizations.value());
  }
};

#endif
