// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <catch.hpp>
#include <pasta/instrument/site.hpp>

namespace {

using pasta::element_type;
using pasta::matrix_shape;
using pasta::site_key;

pasta::matrix_operation event(unsigned m, unsigned n, unsigned k) {
  return {0,
          static_cast<std::uint16_t>(m),
          static_cast<std::uint16_t>(n),
          static_cast<std::uint16_t>(k),
          element_type::f16,
          element_type::f32,
          0};
}

}  // namespace

TEST_CASE("A site's key has a shape's numbers and types, beside its place") {
  pasta::place const where{"a.cpp", 1234, 56};
  constexpr matrix_shape wide(128, 256, 32768, element_type::b1, element_type::s32, 128);
  constexpr matrix_shape narrow(1, 1, 1, element_type::f64, element_type::f64);
  for (matrix_shape const& shape : {wide, narrow}) {
    site_key const key = site_key::of(where, shape);
    CHECK(key.what() == pasta::operation::matrix);
    CHECK(key.where().line == 1234);
    CHECK(key.where().column == 56);
    CHECK(key.space() == pasta::memory_space::global);
    CHECK(key.size_bytes() == 0);
    CHECK(key.shape().packed() == shape.packed());
  }
  CHECK(describe(site_key::of(where, wide), 64) == pasta::site_info{"a.cpp",
                                                                    1234,
                                                                    56,
                                                                    pasta::operation::matrix,
                                                                    pasta::memory_space::global,
                                                                    0,
                                                                    {128, 256, 32768, 128, 64, "b1", "b1", "s32"}});
  CHECK(describe(site_key::of(where, narrow), 32).tile == pasta::matrix_tile{1, 1, 1, 1, 32, "f64", "f64", "f64"});
}

TEST_CASE("Other operations have no tile") {
  site_key const key = site_key::of({"a.cpp", 7, 8}, pasta::operation::store, pasta::memory_space::shared, 16);
  CHECK(key.space() == pasta::memory_space::shared);
  CHECK(key.size_bytes() == 16);
  CHECK(describe(key, 32).tile == pasta::matrix_tile{});
}

TEST_CASE("All shapes of GPUs' instructions come back as they were") {
  for (unsigned m = 1; m <= 128; m *= 2) {
    for (unsigned n = 1; n <= 256; n += n < 8 ? n : 8) {
      for (unsigned k = 1; k <= 32768; k *= 2) {
        matrix_shape const shape = matrix_shape::of(event(m, n, k));
        REQUIRE(shape.is_known());
        REQUIRE((shape.m() == m && shape.n() == n && shape.k() == k && shape.products() == 1));
        REQUIRE((shape.input() == element_type::f16 && shape.accumulator() == element_type::f32));
      }
    }
  }
}

TEST_CASE("An event of another shape is a site whose tile is not known") {
  for (auto const& one : {event(24, 8, 16), event(16, 0, 16), event(16, 264, 16), event(16, 3, 16), event(16, 12, 16),
                          event(16, 8, 24), event(0, 8, 16), event(256, 8, 16), event(16, 8, 0)}) {
    CHECK_FALSE(matrix_shape::of(one).is_known());
    pasta::matrix_tile const tile = describe(site_key::of({"a.cpp", 1, 1}, matrix_shape::of(one)), 32).tile;
    CHECK(tile.m == 0);
    CHECK(tile.lanes == 32);
    CHECK(tile.a.empty());
  }
}

TEST_CASE("Lanes of several products are in groups side by side") {
  constexpr matrix_shape one(16, 8, 16, element_type::f16, element_type::f32);
  constexpr matrix_shape four(8, 8, 4, element_type::f16, element_type::f32, 4);
  constexpr matrix_shape many(4, 4, 4, element_type::f16, element_type::f32, 128);
  pasta::lane_mask const all = ~pasta::lane_mask{0};
  CHECK(one.lanes_of(0xffffffff, 5, 32) == 0xffffffff);
  CHECK(four.lanes_of(0xffffffff, 5, 32) == 0xff);
  CHECK(four.lanes_of(0xffffffff, 31, 32) == 0xff000000);
  CHECK(four.lanes_of(all, 63, 64) == all << 48);
  CHECK(four.lanes_of(0xfff, 9, 32) == 0xf00);  // of those that are there
  CHECK(many.lanes_of(all, 9, 64) == all);      // more products than lanes: none is a lane's own
}
