// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Stencil and matrix product: requests, sectors and accesses in closed form. w: lanes of a warp.
#include "../../examples/targets/stencil.hpp"
#include "../../examples/targets/tiled_product.hpp"
#include "measure.hpp"

using namespace pasta_test;

namespace {

// n a multiple of 32, at least 64; W = n / 32 blocks of 32 columns. In each of the n - 2 inner rows:
// - centre, above, below and the store: 4 sectors per block (the first block lacks lane 0, the last lane 31; 4 all
//   the same);
// - left: 4 in the first block, whose lane 1 reads column 0; 5 in the others, which begin one element before a sector;
// - right: likewise from the other side.
// A warp of 64 holds two rows of the block (32 x 8): the sectors of two rows in one request.
constexpr std::uint64_t inner_rows(std::uint64_t n) { return n - 2; }
constexpr std::uint64_t load_sectors(std::uint64_t n) {
  return inner_rows(n) * (3 * 4 * (n / 32) + 2 * (5 * (n / 32) - 1));
}
constexpr std::uint64_t store_sectors(std::uint64_t n) { return inner_rows(n) * 4 * (n / 32); }
constexpr std::uint64_t warps_of(std::uint64_t n, std::uint64_t w) {
  return (w == 32 ? inner_rows(n) : n / 2) * (n / 32);
}

// The same kernel on an NVIDIA H200, 8192 x 8192, counted by Nsight Compute.
static_assert(5 * warps_of(8192, 32) == 10'483'200 && warps_of(8192, 32) == 2'096'640);
static_assert(load_sectors(8192) == 46'109'700 && store_sectors(8192) == 8'386'560);

}  // namespace

TEST_CASE("stencil: left and right neighbours cost a sector more per warp, but for one at the edge") {
  std::uint64_t const n = GENERATE(64u, 96u, 256u), w = GENERATE(32u, 64u);
  auto const found = measure<targets::stencil_problem>(n, static_cast<std::uint32_t>(w), GENERATE(1u, 2u));
  std::uint64_t const elements = (n - 2) * (n - 2), warps = warps_of(n, w);
  auto const of = [&](auto kind) { return found.at("stencil").at(kind); };
  REQUIRE(found.at("stencil").size() == 2);
  CHECK(of(global_load).requests == 5 * warps);
  CHECK(of(global_load).sectors == load_sectors(n));
  CHECK(of(global_load).accesses == 5 * elements);
  CHECK(of(global_store).requests == warps);
  CHECK(of(global_store).sectors == store_sectors(n));
  CHECK(of(global_store).accesses == elements);
  // 31 lanes at the edge need as many sectors as 32.
  CHECK(of(global_load).needed == 5 * store_sectors(n));
  CHECK(of(global_store).needed == store_sectors(n));
}

TEST_CASE("tiled_product: a warp reads and writes whole rows of a tile") {
  std::uint64_t const n = GENERATE(16u, 48u, 64u), w = GENERATE(32u, 64u);
  auto const found = measure<targets::tiled_product_problem>(n, static_cast<std::uint32_t>(w), GENERATE(1u, 2u));
  // Each of n * n threads loads 2 elements of each of n / 16 pairs of tiles; a row of 16 floats is 2 sectors.
  std::uint64_t const loads = 2 * n * n * (n / 16);
  CHECK(found.at("tiled_product") == traffic_by_kind{{global_load, {loads / w, loads / 8, loads / 8, loads}},
                                                     {global_store, {n * n / w, n * n / 8, n * n / 8, n * n}},
                                                     {shared_store, {0, 0, 0, loads}},
                                                     {shared_load, {0, 0, 0, 2 * n * n * n}}});
}

TEST_CASE("tiled_product is right where tiles go over the edge") {
  for (std::size_t const n : {1u, 17u, 37u}) {
    targets::tiled_product_problem problem(n);
    problem.run([](auto const&... what) { pasta::launch(what...); });
    CHECK(problem.check() == "");
  }
}
