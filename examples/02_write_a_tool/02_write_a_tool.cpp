// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A tool of one's own: on which lines are lanes idle? It is one class; here a small kernel runs under it at once, as
// in a unit test of the tool.
#include <cstdio>
#include <pasta/testing.hpp>

struct idle_lanes : pasta::tool<idle_lanes> {
  // What the tool watches. A handler for each event; both directions are checked when it is compiled.
  using events = pasta::events<pasta::memory_access>;

  // What it collects, once for each line. Every field can be merged, so no handler needs a lock.
  struct site_state {
    pasta::count requests;
  };

  // Runs inside the kernel, for every lane of the access; `lanes` are those that do it together.
  PASTA_DEVICE static void on_memory_access(pasta::context<idle_lanes>& at, pasta::memory_access const& access) {
    if (pasta::warp::is_leader(access.lanes)) at.site().requests.add(1);  // one lane speaks for all
  }

  // Runs once, at the end. How often lanes executed the site (`executions`) is counted for every tool.
  void report(pasta::results<idle_lanes> const& found, pasta::report& out) const {
    for (auto const& kernel : found.kernels) {
      auto columns = pasta::site_columns();
      columns.push_back({"lanes_per_request", "", pasta::column_role::value});
      auto table = out.kernel(kernel).table("sites", columns);
      for (auto const& row : kernel.sites) {
        table.add(row.site, static_cast<double>(row.executions) / static_cast<double>(row.state.requests.value()));
      }
    }
  }
};

// Odd lanes copy, even lanes do not; then all write.
struct half_idle {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a) const {
    if (t.lane() % 2 == 1) a[t.index()] = 1;
    a[t.index()] = 2;
  }
};

int main() {
  pasta::buffer<int> a(128);
  pasta::testing::fixture<idle_lanes> test;  // a host engine with the tool attached
  test.launch(half_idle{}, {1, 128}, a);

  auto const sites = test.results().kernels.at(0).sites;  // what was collected, sorted by line
  bool is_right = sites.size() == 2;
  for (auto const& row : sites) {
    std::uint64_t const requests = row.state.requests.value();
    std::printf("line %u: %llu lanes in %llu requests\n", row.site.line,
                static_cast<unsigned long long>(row.executions), static_cast<unsigned long long>(requests));
    is_right = is_right && requests == 4;  // one for each of the four warps
  }
  is_right = is_right && sites[0].executions == 64 && sites[1].executions == 128;
  return is_right ? 0 : 1;
}
