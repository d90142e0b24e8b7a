// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Matrix operations: which warps make them, of which shape.
#include "conformance/observe.hpp"

using pasta::element_type;
using pasta::operation;

namespace {

struct some_products {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, int rounds) const {
    for (int i = 0; i < rounds; ++i) t.matrix_operation({16, 8, 16, element_type::bf16, element_type::f32});
    std::uint32_t const warp = t.thread_index().x / t.warp_width();
    if (warp % 2 == 1) t.matrix_operation({4, 4, 1, element_type::f32, element_type::f32, 16});
    for (std::uint32_t i = 0; i < warp; ++i) {
      if (i % 2 == 0) t.matrix_operation({64, 24, 32, element_type::s8, element_type::s32});
    }
  }
};

}  // namespace

TEST_CASE("matrix operations: each warp's, in loops and behind conditions, with shape and types") {
  observe(
      [](observed_kernel const& kernel, std::uint32_t warp_width) {
        std::uint64_t const blocks = 3, warps = 256 / warp_width, lanes = warp_width;
        auto const sites = sites_of(kernel, operation::matrix);
        REQUIRE(sites.size() == 3);
        CHECK(sites[0].site.tile == pasta::matrix_tile{16, 8, 16, 1, warp_width, "bf16", "bf16", "f32"});
        CHECK(sites[0].state.lanes.value() == blocks * warps * lanes * 5);
        CHECK(sites[0].state.requests.value() == blocks * warps * 5);
        CHECK(sites[0].state.multiply_adds.value() == blocks * warps * 5 * 16 * 8 * 16);

        CHECK(sites[1].site.tile == pasta::matrix_tile{4, 4, 1, 16, warp_width, "f32", "f32", "f32"});
        CHECK(sites[1].state.lanes.value() == blocks * warps / 2 * lanes);
        CHECK(sites[1].state.requests.value() == blocks * warps / 2 * 16);
        CHECK(sites[1].state.multiply_adds.value() == blocks * warps / 2 * 16 * 4 * 4);

        std::uint64_t rounds = 0;  // warp n: (n + 1) / 2
        for (std::uint64_t warp = 0; warp < warps; ++warp) rounds += (warp + 1) / 2;
        CHECK(sites[2].site.tile == pasta::matrix_tile{64, 24, 32, 1, warp_width, "s8", "s8", "s32"});
        CHECK(sites[2].state.requests.value() == blocks * rounds);
        CHECK(sites[2].state.multiply_adds.value() == blocks * rounds * 64 * 24 * 32);
        for (auto const& site : sites) {
          CHECK(site.executions == site.state.lanes.value());
          CHECK(site.site.size_bytes == 0);
        }
      },
      some_products{}, {3, 256}, 5);
}

TEST_CASE("no round: no matrix operation, and no site") {
  observe([](observed_kernel const& kernel, std::uint32_t) { CHECK(sites_of(kernel, operation::matrix).empty()); },
          some_products{}, {2, 32}, 0);
}
