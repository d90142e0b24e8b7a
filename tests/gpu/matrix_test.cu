// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Matrix operations of kernels on a probe: what matrix_tiles counts and handlers get, beside real mma instructions.
#include <cstdio>
#include <matrix_tiles.hpp>
#include <numeric>
#include <pasta/testing.hpp>

#include "checks.hpp"

namespace {

using pasta::element_type;

/// Warps of blocks multiply ones by ones: each element of the result is 8 for each step. An instruction of 16 x 8 x 8.
struct ones {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float, Probe> c, int steps) const {
    float sums[4] = {};
    unsigned const pair = 0x3f803f80;  // two ones in bf16
    for (int i = 0; i < steps; ++i) {
      t.matrix_operation({16, 8, 8, element_type::bf16, element_type::f32});
#if defined(__CUDA_ARCH__)
      asm volatile(
          "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4}, {%4}, {%0, %1, %2, %3};"
          : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
          : "r"(pair));
#endif
    }
    static_cast<void>(pair);
    // The second site is executed by every second warp, and stands for four products at once.
    if (t.thread_index().x / 32 % 2 == 0) t.matrix_operation({8, 8, 4, element_type::f16, element_type::f32, 4});
    c[t.index()] = sums[0];
  }
};

struct product_watch : pasta::tool<product_watch> {
  using events = pasta::events<pasta::matrix_operation>;
  struct site_state {
    pasta::count lanes, products, multiply_adds;
  };
  PASTA_DEVICE static void on_matrix_operation(pasta::context<product_watch>& at,
                                               pasta::matrix_operation const& event) {
    at.site().lanes.add();
    if (!pasta::warp::is_leader(event.lanes)) return;
    at.site().products.add();
    at.site().multiply_adds.add(std::uint64_t{event.m} * event.n * event.k);
  }
  void report(pasta::results<product_watch> const&, pasta::report&) const {}
};

constexpr std::uint32_t blocks = 5, threads = 96;
constexpr int steps = 7;

template <class Tool>
void launch(pasta::testing::fixture<Tool>& test) {
  pasta::buffer<float> c(blocks * threads);
  test.launch(ones{}, {blocks, threads}, c, steps);
  std::vector<float> result(c.size());
  c.copy_to(result);
  CHECK_EQUAL(std::accumulate(result.begin(), result.end(), 0.0F), 8.0F * steps * blocks * threads);
}

void counts() {
  pasta::testing::fixture<matrix_tiles> test({.options = {{"problem", "200x8x56"}}});
  launch(test);
  auto const found = test.results();
  CHECK_EQUAL(found.kernels.at(0).sites.size(), 2u);
  auto const& often = found.kernels[0].sites.at(0);
  auto const& once = found.kernels[0].sites.at(1);
  CHECK(often.site.tile == (pasta::matrix_tile{16, 8, 8, 1, 32, "bf16", "bf16", "f32"}));
  CHECK(once.site.tile == (pasta::matrix_tile{8, 8, 4, 4, 32, "f16", "f16", "f32"}));
  CHECK_EQUAL(often.executions, std::uint64_t{blocks} * threads * steps);
  CHECK_EQUAL(once.executions, std::uint64_t{blocks} * 2 * 32);
  auto const kernel = test.report().at(0).kernels.at(0);
  CHECK_EQUAL(kernel.tables.at(0).rows.size(), 2u);
  CHECK_EQUAL(std::get<std::uint64_t>(kernel.tables[0].rows[0].at(5)), std::uint64_t{blocks} * threads / 32 * steps);
  CHECK_EQUAL(std::get<std::uint64_t>(kernel.tables[0].rows[1].at(6)), std::uint64_t{blocks} * 2 * 4 * 8 * 8 * 4);
}

void handlers() {
  pasta::testing::fixture<product_watch> test;
  launch(test);
  auto const found = test.results();
  CHECK_EQUAL(found.kernels.at(0).sites.size(), 2u);
  auto const& often = found.kernels[0].sites.at(0).state;
  auto const& once = found.kernels[0].sites.at(1).state;
  std::uint64_t const warps = blocks * threads / 32;
  CHECK_EQUAL(often.lanes.value(), warps * 32 * steps);
  CHECK_EQUAL(often.products.value(), warps * steps);
  CHECK_EQUAL(often.multiply_adds.value(), warps * steps * 16 * 8 * 8);
  CHECK_EQUAL(once.lanes.value(), std::uint64_t{blocks} * 2 * 32);
  CHECK_EQUAL(once.products.value(), std::uint64_t{blocks} * 2 * 4);
  CHECK_EQUAL(once.multiply_adds.value(), std::uint64_t{blocks} * 2 * 4 * 8 * 8 * 4);
}

void pack() {
  using both = pasta::tool_pack<product_watch, matrix_tiles>;
  pasta::testing::fixture<both> test;
  launch(test);
  auto const counted = test.results<matrix_tiles>();
  auto const handled = test.results<product_watch>();
  CHECK_EQUAL(counted.kernels.at(0).sites.at(0).executions, std::uint64_t{blocks} * threads * steps);
  CHECK_EQUAL(handled.kernels.at(0).sites.at(1).state.products.value(), std::uint64_t{blocks} * 2 * 4);
}

}  // namespace

int main() {
  if (!checks::has_gpu()) {
    std::printf("skipped: no GPU\n");
    return 77;
  }
  checks::run("counts", counts);
  checks::run("handlers", handlers);
  checks::run("a pack", pack);
  return checks::finish();
}
