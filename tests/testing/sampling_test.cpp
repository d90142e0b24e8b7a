// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Samples of launches and of blocks on the host engine: what is analysed, what runs all the same, what is estimated.
#include <cmath>
#include <pasta/testing.hpp>

#include "catch.hpp"

namespace {

struct counting : pasta::tool<counting> {
  using events = pasta::events<pasta::memory_access, pasta::block_enter, pasta::thread_exit>;
  struct site_state {
    pasta::count lanes;
  };
  struct kernel_state {
    pasta::count blocks, threads;
  };
  static void on_memory_access(pasta::context<counting>& at, pasta::memory_access const&) { at.site().lanes.add(); }
  static void on_block_enter(pasta::context<counting>& at, pasta::block_enter const&) { at.kernel().blocks.add(); }
  static void on_thread_exit(pasta::context<counting>& at, pasta::thread_exit const&) { at.kernel().threads.add(); }
  void report(pasta::results<counting> const&, pasta::report&) const {}
};

// Blocks differ: the first lane of each stores up to seven times.
struct uneven {
  template <class Probe>
  void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> out) const {
    std::uint32_t const block = t.block_index().x;
    if (t.lane() == 0) {
      for (std::uint32_t i = 0; i <= block % 7; ++i) out[block] = static_cast<int>(block + i);
    }
    t.sync_block();
  }
};

constexpr std::uint32_t blocks = 4096;

std::uint64_t stores_of(std::uint32_t block) { return block % 7 + 1; }

}  // namespace

TEST_CASE("blocks of a sample are analysed, the others run as without a tool") {
  for (std::uint32_t const threads : {1u, 4u}) {
    pasta::testing::fixture<counting> test({.threads = threads, .block_rate = 0.1, .seed = 5});
    std::vector<int> out(blocks);
    test.launch(uneven{}, {blocks, 32}, out.data());
    test.launch(uneven{}, {blocks, 32}, out.data());
    std::uint64_t taken = 0, stores = 0, whole = 0;
    pasta::block_sample const sample = pasta::make_block_sample(0.1, 5);
    for (std::uint32_t block = 0; block < blocks; ++block) {
      REQUIRE(out[block] == static_cast<int>(block + block % 7));
      whole += 2 * stores_of(block);
      if (!sample.has(pasta::block_hash(block, sample.seed))) continue;
      taken += 2;
      stores += 2 * stores_of(block);
    }
    auto const kernel = test.results().kernels.at(0);
    CHECK(kernel.losses.events_delivered == stores);
    CHECK(kernel.kernel.blocks.value() == taken);
    CHECK(kernel.kernel.threads.value() == 32 * taken);
    REQUIRE(kernel.sampling);
    CHECK(kernel.sampling->launches_offered == 2);
    CHECK(kernel.sampling->launches_taken == 2);
    CHECK(kernel.sampling->blocks_offered == 2 * blocks);
    CHECK(kernel.sampling->blocks_taken == taken);
    CHECK(std::abs(kernel.sampling->scale - 2.0 * blocks / static_cast<double>(taken)) < 1e-9);
    REQUIRE(kernel.sampling->events_error);
    CHECK(*kernel.sampling->events_error > 0);
    CHECK(std::abs(kernel.sampling->events - static_cast<double>(whole)) < 5 * *kernel.sampling->events_error);
  }
}

TEST_CASE("a sample of launches estimates all, each launch kept with its part") {
  pasta::testing::fixture<counting> test({.sampling_rate = 0.25});
  std::vector<int> out(blocks);
  for (std::uint32_t i = 0; i < 40; ++i) test.launch(uneven{}, {100, 32}, out.data());
  auto const kernel = test.results().kernels.at(0);
  REQUIRE(kernel.sampling);
  CHECK(kernel.sampling->launches_offered == 40);
  CHECK(kernel.sampling->launches_taken == 10);
  CHECK(kernel.sampling->blocks_offered == 0);
  CHECK(kernel.sampling->events == 4.0 * static_cast<double>(kernel.losses.events_delivered));
  REQUIRE(kernel.sampling->events_error);
  CHECK(*kernel.sampling->events_error == 0);  // all launches are alike
}

TEST_CASE("launches apart have the sample of their own blocks") {
  pasta::testing::fixture<counting> test({.per = pasta::scope::launch, .block_rate = 0.5});
  std::vector<int> out(blocks);
  for (std::uint32_t const grid : {200u, 1000u}) test.launch(uneven{}, {grid, 32}, out.data());
  auto const kernels = test.results().kernels;
  REQUIRE(kernels.size() == 2);
  for (auto const& kernel : kernels) {
    REQUIRE(kernel.sampling);
    CHECK(kernel.sampling->blocks_offered == *kernel.launch * 800 + 200);
    CHECK(kernel.kernel.blocks.value() == kernel.sampling->blocks_taken);
    REQUIRE(kernel.sampling->events_error);
    CHECK(*kernel.sampling->events_error > 0);
  }
}

TEST_CASE("without sampling there is nothing to estimate") {
  pasta::testing::fixture<counting> test;
  std::vector<int> out(blocks);
  test.launch(uneven{}, {10, 32}, out.data());
  CHECK_FALSE(test.results().kernels.at(0).sampling);
}
