// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/analysis/rare.hpp>
#include <pasta/testing.hpp>

#include "laws.hpp"

TEST_CASE("rare: merges as what it holds") {
  pasta_test::check_laws<pasta::rare<pasta::max<std::uint64_t>>>(
      [](auto& state, auto& random) { state.get().observe(random() % 100); },
      [](auto const& state) { return state.get().value(); });
}

namespace {

// Keeps the request with the fewest lanes of each site.
struct fewest_lanes : pasta::tool<fewest_lanes> {
  using events = pasta::events<pasta::memory_access>;
  struct site_state {
    pasta::count requests;
    pasta::worst_request worst;
  };
  PASTA_DEVICE static void on_memory_access(pasta::context<fewest_lanes>& at, pasta::memory_access const& access) {
    pasta::observe_request(at, &site_state::worst, pasta::warp::count(access.lanes), access,
                           pasta::coalesce(access, 32), 32);
    if (pasta::warp::is_leader(access)) at.site().requests.add();
  }
  void report(pasta::results<fewest_lanes> const&, pasta::report&) const {}
};

std::uint64_t lanes_kept(std::initializer_list<std::uint64_t> masks) {
  pasta::testing::fixture<fewest_lanes> test;
  for (std::uint64_t const mask : masks) {
    test.feed(static_cast<pasta::lane_mask>(mask), [](std::uint32_t lane) {
      pasta::memory_access access{};
      access.address = 4096 + 4 * lane;
      access.size_bytes = 4;
      return access;
    });
  }
  auto const found = test.results();
  auto const& state = found.kernels.at(0).sites.at(0).state;
  CHECK(state.requests.value() == masks.size());
  return state.worst.get().value()->lanes;
}

}  // namespace

TEST_CASE("observe_request keeps the request of the lowest rank") {
  CHECK(lanes_kept({0xffff, 0x3, 0xff}) == 0x3);
  CHECK(lanes_kept({0x3, 0xff, 0xffff}) == 0x3);
}

TEST_CASE("observe_request: of equal ranks the same one is kept in any order") {
  std::uint64_t const kept = lanes_kept({0x3, 0x30, 0x5});
  CHECK(lanes_kept({0x5, 0x30, 0x3}) == kept);
  CHECK(lanes_kept({0x30, 0x3, 0x5}) == kept);
}
