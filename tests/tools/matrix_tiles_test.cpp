// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <matrix_tiles.hpp>
#include <pasta/testing.hpp>

#include "catch.hpp"

using pasta_test::contains_text;

namespace {

using pasta::element_type;
namespace detail = matrix_tiles_detail;

/// A product of an M by K and a K by N matrix in tiles of 16x8x16: one warp for each 32 by 16 elements of the result,
/// over all of K in steps of 16. The matrices stay at home: what is counted is the same.
struct tiled_product {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, std::size_t k) const {
    for (std::size_t step = 0; step < k; step += 16) {
      for (int half = 0; half < 2; ++half) {
        t.matrix_operation({16, 8, 16, element_type::bf16, element_type::f32});
        t.matrix_operation({16, 8, 16, element_type::bf16, element_type::f32});
      }
    }
  }
};
pasta::dim3 grid_of(std::uint32_t m, std::uint32_t n) { return {(n + 15) / 16, (m + 31) / 32, 1}; }

struct two_shapes {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, std::uint32_t rows) const {
    for (std::uint32_t i = 0; i < rows; ++i) t.matrix_operation({8, 8, 4, element_type::f64, element_type::f64});
    t.matrix_operation({4, 4, 4, element_type::f16, element_type::f32, 16});
  }
};

struct idle {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>&) const {}
};

/// Looks at each event.
struct product_watch : pasta::tool<product_watch> {
  using events = pasta::events<pasta::matrix_operation>;
  struct site_state {
    pasta::count lanes, products, multiply_adds;
    pasta::common_value<std::uint64_t> lanes_of_first;
  };
  PASTA_DEVICE static void on_matrix_operation(pasta::context<product_watch>& at,
                                               pasta::matrix_operation const& product) {
    at.site().lanes.add();
    if (pasta::warp::lane() == 0) at.site().lanes_of_first.observe(product.lanes);
    if (!pasta::warp::is_leader(product.lanes)) return;
    at.site().products.add();
    at.site().multiply_adds.add(std::uint64_t{product.m} * product.n * product.k);
  }
  void report(pasta::results<product_watch> const&, pasta::report&) const {}
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
pasta::cell ratio(double value) { return value; }

using options = std::vector<std::pair<std::string, std::string>>;

/// One launch of the tiled product. @return the kernel's part of the report
pasta::kernel_section product_of(std::uint32_t m, std::uint32_t n, std::uint32_t k, options const& with) {
  pasta::testing::fixture<matrix_tiles> test({.options = with});
  test.launch(tiled_product{}, {grid_of(m, n), 32}, std::size_t{k});
  return test.report().at(0).kernels.at(0);
}

}  // namespace

TEST_CASE("matrix_tiles counts the instructions of warps by place, shape and types") {
  auto const threads = GENERATE(1u, 2u);
  pasta::testing::fixture<matrix_tiles> test({.threads = threads});
  test.launch(tiled_product{}, {grid_of(100, 50), 32}, std::size_t{40});  // 4 x 4 warps, 3 steps
  test.launch(tiled_product{}, {grid_of(100, 50), 32}, std::size_t{40});
  auto const kernel = test.report().at(0).kernels.at(0);
  auto const& sites = table_of(kernel, "sites");
  REQUIRE(sites.rows.size() == 2);
  CHECK(sites.rows[0][1] != sites.rows[1][1]);
  for (auto const& one : sites.rows) {
    CHECK_THAT(std::get<std::string>(one[0]), contains_text("matrix_tiles_test.cpp"));
    CHECK(row(one.begin() + 3, one.end()) == row{text("16x8x16"), text("bf16*bf16+f32"), number(2 * 16 * 3 * 2),
                                                 number(std::uint64_t{2} * 16 * 3 * 2 * 16 * 8 * 16)});
  }
  CHECK(table_of(kernel, "totals").rows ==
        std::vector<row>{{text("16x8x16"), text("bf16*bf16+f32"), number(2 * 16 * 3 * 4),
                          number(std::uint64_t{2} * 16 * 3 * 4 * 16 * 8 * 16)}});
  CHECK(kernel.losses.events_delivered == 2 * 16 * 3 * 4 * 32);
  CHECK(test.notes().empty());
}

TEST_CASE("An instruction is of as many lanes as a warp has") {
  auto const width = GENERATE(32u, 64u);
  pasta::testing::fixture<matrix_tiles> test({.warp_width = width});
  test.launch(two_shapes{}, {3, 128}, std::uint32_t{5});
  std::uint64_t const warps = 3 * 128 / width;
  auto const kernel = test.report().at(0).kernels.at(0);
  CHECK(table_of(kernel, "totals").rows ==
        std::vector<row>{{text("4x4x4, 16 at once"), text("f16*f16+f32"), number(warps), number(warps * 16 * 64)},
                         {text("8x8x4"), text("f64*f64+f64"), number(warps * 5), number(warps * 5 * 256)}});
}

TEST_CASE("A handler of products gets one event for each product, with its lanes") {
  auto const width = GENERATE(32u, 64u);
  pasta::testing::fixture<product_watch> test({.warp_width = width});
  test.launch(two_shapes{}, {3, 128}, std::uint32_t{5});
  auto const found = test.results();
  std::uint64_t const warps = 3 * 128 / width;
  REQUIRE(found.kernels.at(0).sites.size() == 2);
  auto const& one = found.kernels[0].sites[0].state;
  auto const& sixteen = found.kernels[0].sites[1].state;
  CHECK(one.lanes.value() == 3 * 128 * 5);
  CHECK(one.products.value() == warps * 5);
  CHECK(one.multiply_adds.value() == warps * 5 * 256);
  CHECK(one.lanes_of_first.value() == (width == 64 ? ~std::uint64_t{0} : 0xffffffff));
  CHECK(sixteen.lanes.value() == 3 * 128);
  CHECK(sixteen.products.value() == warps * 16);
  CHECK(sixteen.multiply_adds.value() == warps * 16 * 64);
  CHECK(sixteen.lanes_of_first.value() == (width == 64 ? 0xf : 0x3));
  CHECK(found.kernels[0].sites[0].site.tile == pasta::matrix_tile{8, 8, 4, 1, width, "f64", "f64", "f64"});
  CHECK(found.kernels[0].sites[1].site.tile == pasta::matrix_tile{4, 4, 4, 16, width, "f16", "f16", "f32"});
}

TEST_CASE("Without a problem the counts stand, and the report says what is missing") {
  auto const kernel = product_of(100, 50, 40, {});
  std::uint64_t const made = std::uint64_t{16} * 3 * 4 * 16 * 8 * 16;
  CHECK(table_of(kernel, "fill").rows ==
        std::vector<row>{{text("not known (--problem MxNxK)"), number(1), number(made), {}, {}, {}}});
  CHECK(kernel.findings.empty());
}

TEST_CASE("The share of useful multiply-adds is that of the problem's extents, and what they are padded to is told") {
  auto const kernel = product_of(100, 50, 40, {{"problem", "100x50x40"}});
  std::uint64_t const made = std::uint64_t{128} * 64 * 48, useful = 100 * 50 * 40;
  CHECK(table_of(kernel, "fill").rows == std::vector<row>{{text("100x50x40"), number(1), number(made), number(useful),
                                                           ratio(200000.0 / 393216), text("128x64x48")}});
  REQUIRE(kernel.findings.size() == 1);
  auto const& found = kernel.findings[0];
  CHECK(found.message ==
        "49.1 % of the multiply-adds are padding: 100x50x40 is done as 128x64x48, by instructions of 16x8x16");
  CHECK(found.advice == "take block tiles that divide the extents, or smaller ones: down to 33.6 % of padding");
  // 112 x 56 x 48 is the least: 301056.
  CHECK(found.gain_at_most.value_or(0) == pasta_test::approx(393216.0 / 301056));
  CHECK(found.level == pasta::severity::medium);
  CHECK(found.place.line > 0);
}

TEST_CASE("A blocking is told only where it wastes more than is allowed") {
  CHECK(product_of(100, 50, 40, {{"problem", "100x50x40"}, {"maximum-waste", "0.5"}}).findings.empty());
  CHECK(product_of(120, 64, 48, {{"problem", "120x64x48"}}).findings.empty());
  CHECK(product_of(120, 64, 48, {{"problem", "120x64x48"}, {"maximum-waste", "0.05"}}).findings.size() == 1);
  CHECK(product_of(128, 64, 48, {{"problem", "128x64x48"}, {"maximum-waste", "0"}}).findings.empty());
}

TEST_CASE("An extent that is smaller than an instruction's asks for other work, not for other tiles") {
  auto const kernel = product_of(1, 64, 64, {{"problem", "1x64x64"}});
  REQUIRE(kernel.findings.size() == 1);
  // 32x64x64 or 16x128x64, who knows.
  CHECK(kernel.findings[0].message == "96.9 % of the multiply-adds are padding: 1x64x64, by instructions of 16x8x16");
  CHECK(kernel.findings[0].gain_at_most.value_or(0) == pasta_test::approx(4));  // 8 rows, if the factors are swapped
  pasta::testing::fixture<matrix_tiles> test({.options = {{"problem", "1x1x1"}}});
  test.feed(~pasta::lane_mask{0} >> 32, [](std::uint32_t) {
    return pasta::matrix_operation{0, 16, 8, 16, element_type::f16, element_type::f32, 0};
  });
  auto const one = test.report().at(0).kernels.at(0).findings.at(0);
  CHECK_THAT(one.advice, contains_text("swap the factors"));
  CHECK_FALSE(one.gain_at_most.has_value());
  CHECK(one.level == pasta::severity::high);
}

TEST_CASE("A problem is one launch's; batches and several products add up") {
  pasta::testing::fixture<matrix_tiles> test({.options = {{"problem", "32x16x16x2+32x16x32"}}});
  for (int i = 0; i < 3; ++i) {
    pasta::dim3 grid = grid_of(32, 16);
    grid.z = 4;
    test.launch(tiled_product{}, {grid, 32}, std::size_t{16});
  }
  auto const kernel = test.report().at(0).kernels.at(0);
  CHECK(table_of(kernel, "fill").rows == std::vector<row>{{text("32x16x16x2+32x16x32"),
                                                           number(3),
                                                           number(3 * 4 * 32 * 16 * 16),
                                                           number(3 * 4 * 32 * 16 * 16),
                                                           ratio(1),
                                                           {}}});
  CHECK(kernel.findings.empty());
}

TEST_CASE("Of batches the padded extents are those of each") {
  pasta::testing::fixture<matrix_tiles> test({.options = {{"problem", "20x9x16x4"}}});
  pasta::dim3 grid = grid_of(20, 9);
  grid.z = 4;
  test.launch(tiled_product{}, {grid, 32}, std::size_t{16});
  CHECK(table_of(test.report().at(0).kernels.at(0), "fill").rows[0][5] == text("32x16x16x4"));
}

TEST_CASE("The first entry whose pattern fits the kernel's name holds") {
  char const* const problems = "^no_such=1x1x1;tiled.product$=128x64x48;1x2x3";
  CHECK(table_of(product_of(128, 64, 48, {{"problem", problems}}), "fill").rows[0][0] == text("128x64x48"));
  pasta::testing::fixture<matrix_tiles> test({.options = {{"problem", problems}}});
  test.launch(two_shapes{}, {1, 32}, std::uint32_t{1});
  CHECK(table_of(test.report().at(0).kernels.at(0), "fill").rows[0][0] == text("1x2x3"));
}

TEST_CASE("An annotated range may say the problem") {
  pasta::testing::fixture<matrix_tiles> test;
  pasta::open_range("step 7x");
  pasta::open_range("gemm 100x50x40");
  test.launch(tiled_product{}, {grid_of(100, 50), 32}, std::size_t{40});
  pasta::close_range();
  pasta::open_range("other");
  test.launch(tiled_product{}, {grid_of(100, 50), 32}, std::size_t{40});
  pasta::close_range();
  pasta::close_range();
  auto const kernels = test.report().at(0).kernels;
  REQUIRE(kernels.size() == 2);
  CHECK(table_of(kernels[0], "fill").rows[0][0] == text("100x50x40"));
  CHECK(table_of(kernels[1], "fill").rows[0][0] == text("not known (--problem MxNxK)"));
}

TEST_CASE("The problem of a range is the last word that is one") {
  auto const found = [](char const* range) {
    auto const problem = detail::find_problem(range);
    return problem ? problem->text : "";
  };
  CHECK(found("gemm 1000x1000x1000") == "1000x1000x1000");
  CHECK(found("attention_64x64x8x12+64x8x64x12 causal") == "64x64x8x12+64x8x64x12");
  CHECK(found("outer 8x8x8/inner (1x2x3)/fold") == "1x2x3");
  CHECK(found("8x8x8/x/1x2") == "8x8x8");
  CHECK(found("").empty());
  CHECK(found("conv3x3x64").empty());  // of a word
  CHECK(found("3x3x64f").empty());
  CHECK(found("1x2x3x4x5").empty());
  CHECK(found("0x2x3").empty());
  CHECK(found("x1x2x3").empty());
  CHECK(found("1x2x3+").empty());
  CHECK(found("4294967296x1x1").empty());
  CHECK(found("4000000000x4000000000x1").empty());
}

TEST_CASE("A problem that asks for more than was done has no fill") {
  auto const kernel = product_of(32, 16, 16, {{"problem", "64x16x16"}});
  CHECK(table_of(kernel, "fill").rows[0][4] == pasta::cell{});
  REQUIRE(kernel.findings.size() == 1);
  CHECK(kernel.findings[0].message ==
        "64x16x16 takes 16384 multiply-adds (launches: 1), and matrix instructions made 8192");
  CHECK(kernel.findings[0].level == pasta::severity::low);
}

TEST_CASE("An instruction of no known shape is counted, and what it multiplies is not known") {
  pasta::testing::fixture<matrix_tiles> test({.options = {{"problem", "8x8x8"}}});
  test.feed(~pasta::lane_mask{0} >> 32, [](std::uint32_t) {
    return pasta::matrix_operation{0, 24, 8, 16, element_type::f16, element_type::f32, 0};
  });
  auto const kernel = test.report().at(0).kernels.at(0);
  CHECK(table_of(kernel, "totals").rows == std::vector<row>{{text("not known"), text("not known"), number(1), {}}});
  CHECK(table_of(kernel, "fill").rows == std::vector<row>{{text("8x8x8"), number(1), {}, number(512), {}, {}}});
  CHECK(kernel.findings.empty());
}

TEST_CASE("A kernel without matrix instructions has no tables") {
  pasta::testing::fixture<matrix_tiles> test({.options = {{"problem", "8x8x8"}}});
  test.launch(idle{}, {1, 32});
  auto const kernel = test.report().at(0).kernels.at(0);
  CHECK(kernel.tables.empty());
  CHECK(kernel.findings.empty());
}

TEST_CASE("A wrong problem is refused with what is right") {
  for (char const* const wrong : {"12", "1x2", "1x2x", "1x2x3;", "k=", "1x2x-3", "1x2x3x4x5", "1,2,3"}) {
    std::string const part = std::string(wrong) == "1x2x3;" ? "" : wrong;
    CHECK_THROWS_WITH((pasta::testing::fixture<matrix_tiles>({.options = {{"problem", wrong}}})),
                      "--problem: '" + part + "' is not [KERNEL=]MxNxK[xBATCH][+MxNxK...]");
  }
  std::string const pattern = "(=1x2x3";
  try {
    pasta::testing::fixture<matrix_tiles> const test({.options = {{"problem", pattern}}});
    FAIL("no message");
  } catch (pasta::usage_error const& error) {
    CHECK_THAT(error.what(), contains_text("--problem: KERNEL: '(' is not a regular expression"));
  }
  std::string const long_text = std::string(300, 'k') + "=1x2x3";
  CHECK_THROWS_WITH((pasta::testing::fixture<matrix_tiles>({.options = {{"problem", long_text}}})),
                    "--problem: a text of 306 bytes, at most 255 are read");
}
