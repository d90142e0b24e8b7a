// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/pasta.hpp>

#include "catch.hpp"

using pasta_test::contains_text;

namespace {

// The engine without any tool: what a kernel computes is what this checks.
template <class Kernel, class... Arguments>
void run(pasta::simt::engine& engine, Kernel const& kernel, pasta::launch_config const& config,
         Arguments const&... arguments) {
  pasta::detail::kernel_call<pasta::no_probe, Kernel, Arguments...>(kernel, arguments...)
      .run(engine, {config.grid, config.block, config.shared_bytes});
}

struct every_index {
  template <class Probe>
  void operator()(pasta::thread<Probe>& t, pasta::traced<unsigned, Probe> seen) const {
    std::size_t const width = t.grid_threads(), height = std::size_t{t.grid_size().y} * t.block_size().y;
    t.atomic_add(seen[static_cast<std::ptrdiff_t>((t.index_z() * height + t.index_y()) * width + t.index_x())], 1u);
  }
};

}  // namespace

TEST_CASE("every thread of 1-, 2- and 3-dimensional grids and blocks runs once") {
  pasta::simt::engine engine({.threads = 2});
  for (auto const& [grid, block] : {std::pair{pasta::dim3(7), pasta::dim3(33)},
                                    {pasta::dim3(3, 5), pasta::dim3(8, 9)},
                                    {pasta::dim3(2, 3, 4), pasta::dim3(5, 6, 7)},
                                    {pasta::dim3(1), pasta::dim3(1024)},
                                    {pasta::dim3(1000), pasta::dim3(1)}}) {
    std::vector<unsigned> seen(grid.count() * block.count());
    run(engine, every_index{}, {grid, block}, seen.data());
    CHECK(seen == std::vector<unsigned>(seen.size(), 1));
  }
}

namespace {
struct block_sum {
  template <class Probe>
  void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> in, pasta::traced<int, Probe> out) const {
    auto partial = pasta::dynamic_shared<int>(t);
    auto factors = pasta::shared<int[2]>(t);
    unsigned const i = t.thread_index().x;
    partial[i] = in[static_cast<std::ptrdiff_t>(t.index())];
    if (i == 0) factors[0] = 2;
    t.sync_block();
    for (unsigned half = t.block_size().x / 2; half > 0; half /= 2) {
      if (i < half) partial[i] += partial[i + half];
      t.sync_block();
    }
    if (i == 0) out[t.block_index().x] = partial[0] * factors[0];
  }
};
}  // namespace

TEST_CASE("barriers, static and dynamic shared memory: a tree reduction in every block") {
  for (std::uint32_t const warp_width : {32u, 64u}) {
    pasta::simt::engine engine({.warp_width = warp_width, .threads = 2});
    std::vector<int> in(64 * 512), out(64);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i % 1000);
    run(engine, block_sum{}, {64, 512, 512 * sizeof(int)}, in.data(), out.data());
    for (std::size_t block = 0; block < 64; ++block) {
      int expected = 0;
      for (std::size_t i = 0; i < 512; ++i) expected += in[block * 512 + i];
      REQUIRE(out[block] == 2 * expected);
    }
  }
}

namespace {
struct contended {
  template <class Probe>
  void operator()(pasta::thread<Probe>& t, pasta::traced<unsigned long long, Probe> sum,
                  pasta::traced<float, Probe> real, pasta::traced<int, Probe> low) const {
    t.atomic_add(sum[0], t.index());
    t.atomic_add(real[0], 0.5f);
    t.atomic_min(low[0], -static_cast<int>(t.index()));
  }
};
}  // namespace

TEST_CASE("atomics of all workers on one element") {
  pasta::simt::engine engine({.threads = 4});
  unsigned long long sum = 0;
  float real = 0;
  int low = 0;
  run(engine, contended{}, {256, 128}, &sum, &real, &low);
  std::uint64_t const n = 256 * 128;
  CHECK(sum == n * (n - 1) / 2);
  CHECK(real == 0.5f * static_cast<float>(n));
  CHECK(low == -static_cast<int>(n - 1));
}

namespace {
struct throws_at {
  std::size_t which;
  template <class Probe>
  void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> destroyed) const {
    struct counts_destruction {
      int* count;
      ~counts_destruction() { std::atomic_ref<int>(*count).fetch_add(1); }
    } const guard{destroyed.raw()};
    if (t.index() == which) throw std::runtime_error("thread " + std::to_string(which));
    t.sync_block();
  }
};
}  // namespace

TEST_CASE("what a kernel throws reaches the caller, stacks are unwound, and the engine goes on working") {
  pasta::simt::engine engine({.threads = 2});
  int destroyed = 0;
  CHECK_THROWS_WITH(run(engine, throws_at{70}, {1, 128}, &destroyed), contains_text("thread 70"));
  CHECK(destroyed == 71);  // threads 0 to 69 waited at the barrier; 71 to 127 had not begun
  std::vector<unsigned> seen(64 * 64);
  run(engine, every_index{}, {64, 64}, seen.data());
  CHECK(seen == std::vector<unsigned>(seen.size(), 1));
}

TEST_CASE("shapes that no GPU accepts are refused with one line") {
  pasta::simt::engine engine({.threads = 1});
  std::vector<unsigned> seen(1);
  auto const refused = [&](pasta::launch_config const& config, std::string const& why) {
    CHECK_THROWS_WITH(run(engine, every_index{}, config, seen.data()), contains_text(why));
  };
  refused({0, 1}, "at least one thread");
  refused({1, 0}, "at least one thread");
  refused({1, 1025}, "at most 1024 threads");
  refused({1, pasta::dim3(1, 1, 65)}, "64 in z");
  refused({pasta::dim3(1, 65536), 1}, "65535");
  refused({pasta::dim3(0x80000000u), 1}, "2^31-1");
  refused({1, 1, 228 * 1024}, "227 KiB");
  CHECK_THROWS_WITH(pasta::simt::engine({.warp_width = 16}), contains_text("32 or 64"));
}

namespace {
struct greedy {
  template <class Probe>
  void operator()(pasta::thread<Probe>& t) const {
    auto first = pasta::shared<std::uint8_t[200 * 1024]>(t);
    auto second = pasta::shared<std::uint8_t[200 * 1024], 1>(t);
    first[0] = second[0] = 1;
  }
};
struct same_and_other {
  template <class Probe>
  void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> out) const {
    auto a = pasta::shared<int[4]>(t);
    auto b = pasta::shared<int[4], 1>(t);
    auto a_again = pasta::shared<int[4]>(t);
    a[0] = 1, b[0] = 2;
    out[0] = a_again[0];
    out[1] = b[0];
  }
};
}  // namespace

TEST_CASE("shared arrays: the same type and number is the same array, too many are refused") {
  pasta::simt::engine engine({.threads = 1});
  int out[2] = {};
  run(engine, same_and_other{}, {1, 1}, &out[0]);
  CHECK(out[0] == 1);
  CHECK(out[1] == 2);
  CHECK_THROWS_WITH(run(engine, greedy{}, {1, 1}), contains_text("227 KiB"));
}

namespace {
struct launches_another {
  pasta::simt::engine* engine;
  template <class Probe>
  void operator()(pasta::thread<Probe>&, pasta::traced<unsigned, Probe> seen) const {
    run(*engine, every_index{}, {1, 1}, seen.raw());
  }
};
}  // namespace

TEST_CASE("a kernel that launches a kernel is refused, not deadlocked") {
  pasta::simt::engine engine({.threads = 1});
  unsigned seen = 0;
  CHECK_THROWS_WITH(run(engine, launches_another{&engine}, {1, 1}, &seen), contains_text("cannot launch a kernel"));
}

TEST_CASE("launches from several host threads do not disturb each other") {
  pasta::simt::engine engine({.threads = 2});
  std::vector<std::vector<unsigned>> seen(8, std::vector<unsigned>(128 * 32));
  std::vector<std::thread> threads;
  for (auto& mine : seen) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) run(engine, every_index{}, {128, 32}, mine.data());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (auto const& each : seen) CHECK(each == std::vector<unsigned>(each.size(), 20));
}

namespace {
struct deep {
  template <class Probe>
  PASTA_NEVER_INLINE static int down(pasta::thread<Probe>& t, int depth) {
    volatile char frame[512];
    frame[0] = static_cast<char>(depth);
    if (depth == 0) {
      t.sync_block();
      return frame[0];
    }
    return down(t, depth - 1) + 1 + (frame[0] & 0);
  }
  template <class Probe>
  void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> out) const {
    out[static_cast<std::ptrdiff_t>(t.index())] = down(t, 100);
  }
};
}  // namespace

TEST_CASE("a thousand suspended lanes with deep stacks keep them apart") {
  pasta::simt::engine engine({.threads = 1});
  std::vector<int> out(1024);
  run(engine, deep{}, {1, 1024}, out.data());
  CHECK(out == std::vector<int>(1024, 100));
}

TEST_CASE("the clock is monotonic and counts nanoseconds") {
  pasta::get_nanoseconds<pasta::vendor::host> const now;
  std::uint64_t const before = now();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::uint64_t const after = now();
  CHECK(after - before >= 20'000'000);
  CHECK(after - before < 20'000'000'000);
}
