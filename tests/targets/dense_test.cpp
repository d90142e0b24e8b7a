// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Vectors, transposes and copies: requests, sectors and accesses in closed form. w: lanes of a warp; arrays of float
// begin with a sector (8 elements).
#include "../../examples/targets/misaligned_copy.hpp"
#include "../../examples/targets/transpose.hpp"
#include "../../examples/targets/vector_add.hpp"
#include "measure.hpp"

using namespace pasta_test;

TEST_CASE("vector_add: one request per warp and array, the array's sectors once") {
  std::uint64_t const n = GENERATE(1u, 80u, 1000u, 4096u), w = GENERATE(32u, 64u);
  auto const threads = GENERATE(1u, 2u);
  auto const found = measure<targets::vector_add_problem>(n, static_cast<std::uint32_t>(w), threads);
  std::uint64_t const sectors = divide_up(n, 8);
  CHECK(found.at("vector_add") == traffic_by_kind{{global_load, {2 * divide_up(n, w), 2 * sectors, 2 * sectors, 2 * n}},
                                                  {global_store, {divide_up(n, w), sectors, sectors, n}}});
}

TEST_CASE("naive_transpose: rows are read in whole sectors, each element of a column is a sector of its own") {
  std::uint64_t const n = GENERATE(32u, 64u, 160u), w = GENERATE(32u, 64u);
  auto const found =
      measure<targets::transpose_problem<naive_transpose>>(n, static_cast<std::uint32_t>(w), GENERATE(1u, 2u));
  // A warp of 64 holds two rows of the block (32 x 8), so two neighbours of each column: half as many sectors.
  std::uint64_t const accesses = n * n, column_sectors = accesses / (w / 32);
  CHECK(found.at("naive_transpose") ==
        traffic_by_kind{{global_load, {accesses / w, accesses / 8, accesses / 8, accesses}},
                        {global_store, {accesses / w, column_sectors, accesses / 8, accesses}}});
}

TEST_CASE("tiled_transpose: rows are read and written in whole sectors, through as many shared accesses") {
  std::uint64_t const n = GENERATE(32u, 64u, 160u), w = GENERATE(32u, 64u);
  auto const found =
      measure<targets::transpose_problem<tiled_transpose>>(n, static_cast<std::uint32_t>(w), GENERATE(1u, 2u));
  traffic const rows{n * n / w, n * n / 8, n * n / 8, n * n}, shared{0, 0, 0, n * n};
  CHECK(found.at("tiled_transpose") ==
        traffic_by_kind{{global_load, rows}, {global_store, rows}, {shared_store, shared}, {shared_load, shared}});
}

TEST_CASE("misaligned_copy, strided_copy, record_sum: each waste in closed form") {
  std::uint64_t const n = GENERATE(64u, 4096u), w = GENERATE(32u, 64u);
  auto const found = measure<targets::misaligned_copy_problem>(n, static_cast<std::uint32_t>(w), GENERATE(1u, 2u));
  std::uint64_t const warps = n / w;
  traffic const whole{warps, n / 8, n / 8, n};
  // From 4 bytes after a sector's begin: one sector more per warp.
  CHECK(found.at("misaligned_copy") ==
        traffic_by_kind{{global_load, {warps, n / 8 + warps, n / 8, n}}, {global_store, whole}});
  // 8 elements apart: a sector per lane.
  CHECK(found.at("strided_copy") == traffic_by_kind{{global_load, {warps, n, n / 8, n}}, {global_store, whole}});
  // 4 elements apart, twice: a sector per two lanes.
  CHECK(found.at("record_sum") ==
        traffic_by_kind{{global_load, {2 * warps, 2 * (n / 2), 2 * (n / 8), 2 * n}}, {global_store, whole}});
}
