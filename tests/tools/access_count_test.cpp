// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <access_count.hpp>
#include <pasta/testing.hpp>

#include "catch.hpp"

namespace {

struct every_kind {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<double, Probe> a, std::size_t n) const {
    auto copy = pasta::shared<double[64]>(t);
    std::size_t const i = t.index();
    if (i >= n) return;
    copy[i % 64] = a[i];
    t.atomic_add(a[0], 1.0);
  }
};

// Handles barriers, so that a pack with it has rows for them.
struct barrier_watch : pasta::tool<barrier_watch> {
  using events = pasta::events<pasta::barrier>;
  struct site_state {
    pasta::count arrivals;
  };
  PASTA_DEVICE static void on_barrier(pasta::context<barrier_watch>& at, pasta::barrier const&) {
    at.site().arrivals.add();
  }
  void report(pasta::results<barrier_watch> const&, pasta::report&) const {}
};
struct with_barrier {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a) const {
    t.sync_block();
    a[t.index()] = 1;
  }
};

pasta::table const& table_of(pasta::kernel_section const& kernel, std::string const& name) {
  for (auto const& table : kernel.tables) {
    if (table.name == name) return table;
  }
  throw std::runtime_error("no table " + name);
}

using row = std::vector<pasta::cell>;
pasta::cell text(char const* value) { return std::string(value); }
pasta::cell number(std::uint64_t value) { return value; }

}  // namespace

TEST_CASE("access_count counts each lane of each access once, by place, kind and space") {
  std::vector<double> a(256);
  auto const threads = GENERATE(1u, 2u);
  auto const width = GENERATE(32u, 64u);
  pasta::testing::fixture<access_count> test({.warp_width = width, .threads = threads});
  test.launch(every_kind{}, {4, 50}, a.data(), std::size_t{190});
  test.launch(every_kind{}, {4, 50}, a.data(), std::size_t{10});

  auto const kernel = test.report().at(0).kernels.at(0);
  REQUIRE(kernel.losses.launches_delivered == 2);
  REQUIRE(kernel.losses.events_delivered == 3 * 200);
  auto const& sites = table_of(kernel, "sites");
  REQUIRE(sites.rows.size() == 3);
  for (auto const& one : sites.rows) {
    CHECK(one[5] == number(8));
    CHECK(one[6] == number(200));
    CHECK(one[7] == number(1600));
  }
  CHECK(table_of(kernel, "totals").rows ==
        std::vector<row>{{text("global"), text("load"), number(200), number(1600)},
                         {text("global"), text("atomic"), number(200), number(1600)},
                         {text("shared"), text("store"), number(200), number(1600)}});
}

TEST_CASE("access_count in a pack says nothing about what only the other tool watches") {
  std::vector<int> a(64);
  pasta::testing::fixture<pasta::tool_pack<access_count, barrier_watch>> test;
  test.launch(with_barrier{}, {1, 64}, a.data());
  CHECK(test.results<barrier_watch>().kernels[0].sites.size() == 1);
  auto const kernel = test.report().at(0).kernels.at(0);
  REQUIRE(table_of(kernel, "sites").rows.size() == 1);
  CHECK(table_of(kernel, "sites").rows[0][3] == text("store"));
  CHECK(kernel.losses.events_delivered == 64);
}
