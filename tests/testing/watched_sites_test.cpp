// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A tool says which sites it watches: at others nothing is done for it.
#include <pasta/testing.hpp>

#include "catch.hpp"

namespace {

struct copy_through_tile {
  template <class Probe>
  void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> from,
                  pasta::traced<float, Probe> to) const {
    auto tile = pasta::shared<float[64]>(t);
    tile[t.index()] = from[t.index()];
    to[t.index()] = tile[t.index()];
  }
};

template <pasta::memory_space Space, pasta::operation What>
struct only : pasta::tool<only<Space, What>> {
  using events = pasta::events<pasta::memory_access>;
  struct site_state {
    pasta::count lanes;
  };
  static constexpr bool watches(pasta::site_key const& site) { return site.space() == Space && site.what() == What; }
  static void on_memory_access(pasta::context<only>& at, pasta::memory_access const&) { at.site().lanes.add(); }
  void report(pasta::results<only> const&, pasta::report&) const {}
};
using global_loads = only<pasta::memory_space::global, pasta::operation::load>;
using shared_stores = only<pasta::memory_space::shared, pasta::operation::store>;
using nothing = only<pasta::memory_space::local, pasta::operation::atomic>;

struct counts_all : pasta::tool<counts_all> {
  using counts = pasta::counted<pasta::memory_access>;
  void report(pasta::results<counts_all> const&, pasta::report&) const {}
};

template <class Fixture>
void launch_in(Fixture& test) {
  std::vector<float> from(64, 3), to(64);
  test.launch(copy_through_tile{}, {1, 64}, from.data(), to.data());
  CHECK(to == from);
}

}  // namespace

TEST_CASE("a tool gets the events of the sites that it watches, and no rows for others") {
  pasta::testing::fixture<global_loads> test;
  launch_in(test);
  auto const found = test.results();
  REQUIRE(found.kernels.size() == 1);
  REQUIRE(found.kernels[0].sites.size() == 1);
  CHECK(found.kernels[0].sites[0].site.what == pasta::operation::load);
  CHECK(found.kernels[0].sites[0].site.space == pasta::memory_space::global);
  CHECK(found.kernels[0].sites[0].executions == 64);
  CHECK(found.kernels[0].sites[0].state.lanes.value() == 64);
  CHECK(found.kernels[0].losses.events_delivered == 64);
}

TEST_CASE("a tool that watches none of a kernel's sites finds none") {
  pasta::testing::fixture<nothing> test;
  launch_in(test);
  auto const found = test.results();
  REQUIRE(found.kernels.size() == 1);
  CHECK(found.kernels[0].sites.empty());
}

TEST_CASE("in a pack each tool gets what it watches") {
  pasta::testing::fixture<pasta::tool_pack<global_loads, shared_stores, counts_all>> test;
  launch_in(test);
  auto const loads = test.results<global_loads>();
  auto const stores = test.results<shared_stores>();
  auto const counted = test.results<counts_all>();
  REQUIRE(counted.kernels.size() == 1);
  CHECK(counted.kernels[0].sites.size() == 4);
  for (auto const& site : counted.kernels[0].sites) CHECK(site.executions == 64);
  std::uint64_t loaded = 0, stored = 0;
  for (auto const& site : loads.kernels.at(0).sites) {
    loaded += site.state.lanes.value();
    CHECK((site.state.lanes.value() == 0 || site.site.what == pasta::operation::load));
  }
  for (auto const& site : stores.kernels.at(0).sites) {
    stored += site.state.lanes.value();
    CHECK((site.state.lanes.value() == 0 || site.site.space == pasta::memory_space::shared));
  }
  CHECK(loaded == 64);
  CHECK(stored == 64);
}

TEST_CASE("events that a test feeds pass the same choice") {
  pasta::testing::fixture<global_loads> test;
  for (auto const space : {pasta::memory_space::global, pasta::memory_space::shared}) {
    test.feed(0xff, [=](std::uint32_t lane) {
      return pasta::memory_access{0, 0x1000 + 4 * lane, 4, pasta::access_kind::load, space, 0};
    });
  }
  auto const found = test.results();
  REQUIRE(found.kernels.size() == 1);
  REQUIRE(found.kernels[0].sites.size() == 1);
  CHECK(found.kernels[0].sites[0].state.lanes.value() == 8);
}
