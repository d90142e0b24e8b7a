// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What lanes of a wave do together, at both widths, and what the device says of itself.
#include <pasta/analysis/coalesce.hpp>
#include <pasta/analysis/count_distinct.hpp>
#include <random>
#include <set>
#include <vector>

#include "catch.hpp"
#include "program_points.hpp"

namespace {

using words = std::vector<std::uint64_t>;

/// Runs one block of two waves; what each thread wrote.
words run(std::uint32_t width, void (*kernel)(std::uint64_t*), std::uint32_t threads = 0) {
  hip_emulation::set_device(width, 1);
  words out(threads == 0 ? 2 * width : threads, ~std::uint64_t{0});
  hip_emulation::configuration(1, static_cast<std::uint32_t>(out.size())).of(kernel)(out.data());
  REQUIRE(hipGetLastError() == hipSuccess);
  return out;
}

template <class Expected>
void check(void (*kernel)(std::uint64_t*), Expected&& expected) {
  for (std::uint32_t const width : {32u, 64u}) {
    INFO("width " << width);
    words const found = run(width, kernel);
    for (std::uint32_t i = 0; i < found.size(); ++i) {
      INFO("thread " << i);
      REQUIRE(found[i] == static_cast<std::uint64_t>(expected(i, width)));
    }
  }
}

constexpr std::uint64_t lowest(std::uint32_t count) { return count == 64 ? ~0ull : (1ull << count) - 1; }

}  // namespace

TEST_CASE("lanes exchange values as HIP's shuffles say, within parts of a wave") {
  check([](std::uint64_t* out) { out[threadIdx.x] = __shfl(threadIdx.x, 5); },
        [](std::uint32_t i, std::uint32_t width) { return i / width * width + 5; });
  check([](std::uint64_t* out) { out[threadIdx.x] = __shfl(threadIdx.x, 5, 16); },
        [](std::uint32_t i, std::uint32_t) { return i / 16 * 16 + 5; });
  check([](std::uint64_t* out) { out[threadIdx.x] = __shfl_up(threadIdx.x, 3u); },
        [](std::uint32_t i, std::uint32_t width) { return i % width < 3 ? i : i - 3; });
  check([](std::uint64_t* out) { out[threadIdx.x] = __shfl_down(threadIdx.x, 3u, 8); },
        [](std::uint32_t i, std::uint32_t) { return i % 8 + 3 >= 8 ? i : i + 3; });
  check([](std::uint64_t* out) { out[threadIdx.x] = static_cast<std::uint64_t>(__shfl_xor(threadIdx.x * 0.5, 6)); },
        [](std::uint32_t i, std::uint32_t) { return (i ^ 6) / 2; });
}

TEST_CASE("a shuffle from a lane that is not here gives 0") {
  check(
      [](std::uint64_t* out) {
        out[threadIdx.x] = 7;
        if (threadIdx.x % 2 == 0) out[threadIdx.x] = static_cast<std::uint64_t>(__shfl(threadIdx.x + 1, 1));
      },
      [](std::uint32_t i, std::uint32_t) { return i % 2 == 0 ? 0 : 7; });
}

TEST_CASE("a ballot is of the lanes that are here") {
  check([](std::uint64_t* out) { out[threadIdx.x] = __ballot(1); },
        [](std::uint32_t, std::uint32_t width) { return lowest(width); });
  check([](std::uint64_t* out) { out[threadIdx.x] = __ballot(threadIdx.x == 3); },
        [](std::uint32_t i, std::uint32_t width) { return i < width ? 8 : 0; });
  words const partial = run(
      64, [](std::uint64_t* out) { out[threadIdx.x] = __ballot(1); }, 80);
  CHECK(partial[63] == lowest(64));
  CHECK(partial[64] == lowest(16));
}

namespace {
__attribute__((noinline)) std::uint64_t vote_in_function() { return __ballot(1); }
}  // namespace

TEST_CASE("one function called from two places is two points, each with its lanes") {
  check(
      [](std::uint64_t* out) {
        if (threadIdx.x % warpSize < 7) {
          out[threadIdx.x] = vote_in_function();
        } else {
          out[threadIdx.x] = vote_in_function();
        }
      },
      [](std::uint32_t i, std::uint32_t width) { return i % width < 7 ? lowest(7) : lowest(width) & ~lowest(7); });
}

TEST_CASE("lanes whose loops differ in length come together behind them") {
  check(
      [](std::uint64_t* out) {
        std::uint64_t seen = 0;
        for (unsigned i = 0; i <= threadIdx.x % 4; ++i)
          seen = seen * 100 + static_cast<unsigned>(__popcll(__ballot(1)));
        out[threadIdx.x] = seen * 100 + static_cast<unsigned>(__popcll(__ballot(1)));
      },
      [](std::uint32_t i, std::uint32_t width) {
        std::uint64_t seen = 0;
        for (std::uint32_t round = 0; round <= i % 4; ++round) seen = seen * 100 + width / 4 * (4 - round);
        return seen * 100 + width;
      });
}

TEST_CASE("PASTA's warp operations are exact for parts of a wave") {
  check(
      [](std::uint64_t* out) {
        out[threadIdx.x] = 0;
        if (threadIdx.x % 3 == 1) return;
        pasta::lane_mask const lanes = pasta::warp::detail::active();
        auto const number = static_cast<std::int64_t>(threadIdx.x) - 40;
        std::int64_t const sum = pasta::warp::reduce_add(lanes, number);
        std::int64_t const most = pasta::warp::reduce_max(lanes, number),
                           least = pasta::warp::reduce_min(lanes, number);
        std::uint64_t const own = pasta::warp::shuffle(lanes, std::uint64_t{threadIdx.x}, 1);  // is not among them
        out[threadIdx.x] = static_cast<std::uint64_t>((sum * 1000 + most) * 1000 + least) + own;
      },
      [](std::uint32_t i, std::uint32_t width) -> std::uint64_t {
        if (i % 3 == 1) return 0;
        std::int64_t sum = 0, most = -1000, least = 1000;
        bool is_one_there = false;
        for (std::uint32_t other = i / width * width; other < (i / width + 1) * width; ++other) {
          if (other % 3 == 1) continue;
          auto const number = static_cast<std::int64_t>(other) - 40;
          sum += number, most = std::max(most, number), least = std::min(least, number);
          is_one_there = is_one_there || other % width == 1;
        }
        std::uint64_t const got = is_one_there ? i / width * width + 1 : i;
        return static_cast<std::uint64_t>((sum * 1000 + most) * 1000 + least) + got;
      });
}

namespace {
struct request {
  std::uint64_t addresses[64], lanes;
  std::uint32_t size_bytes, sector_bytes;
} asked;
pasta::request_shape shapes[64];
std::uint32_t distinct[64];
}  // namespace

TEST_CASE("the shape of a request is what the host engine says, for any lanes, addresses and sectors") {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    std::uint32_t const width = trial % 2 == 0 ? 32 : 64;
    std::uint64_t const spread = std::uint64_t{1} << random() % 40, step = random() % 200;
    asked.size_bytes = 1u << random() % 5;
    asked.sector_bytes = std::vector<std::uint32_t>{32, 64, 48, 100, 4096, 9}[random() % 6];
    asked.lanes = (trial % 3 == 0 ? ~std::uint64_t{0} : random()) & lowest(width);
    if (asked.lanes == 0) continue;
    for (std::uint32_t lane = 0; lane < 64; ++lane) {
      asked.addresses[lane] = 1'000'000'000'007 + (trial % 4 == 1 ? step * lane : random() % spread);
    }
    run(
        width,
        [](std::uint64_t*) {
          std::uint32_t const lane = pasta::warp::lane();
          if ((asked.lanes >> lane & 1) == 0) return;
          pasta::lane_mask const lanes = pasta::warp::detail::active();
          shapes[lane] = pasta::coalesce({lanes, asked.addresses[lane], asked.size_bytes, pasta::access_kind::load,
                                          pasta::memory_space::global, 0},
                                         asked.sector_bytes);
          distinct[lane] = pasta::warp::count_distinct(lanes, asked.addresses[lane]);
        },
        width);
    pasta::request_shape const expected =
        pasta::shape_of_request(asked.addresses, asked.lanes, asked.size_bytes, asked.sector_bytes);
    std::set<std::uint64_t> different;
    for (std::uint32_t lane = 0; lane < width; ++lane) {
      if ((asked.lanes >> lane & 1) != 0) different.insert(asked.addresses[lane]);
    }
    for (std::uint32_t lane = 0; lane < width; ++lane) {
      if ((asked.lanes >> lane & 1) == 0) continue;
      INFO("trial " << trial << ", lane " << lane);
      REQUIRE(shapes[lane].lanes == expected.lanes);
      REQUIRE(shapes[lane].sectors == expected.sectors);
      REQUIRE(shapes[lane].sectors_needed == expected.sectors_needed);
      REQUIRE(shapes[lane].distinct_bytes == expected.distinct_bytes);
      REQUIRE(shapes[lane].is_regular == expected.is_regular);
      REQUIRE(shapes[lane].stride_bytes == expected.stride_bytes);
      REQUIRE(distinct[lane] == different.size());
    }
  }
}

TEST_CASE("shared arrays are the block's, and told from other memory") {
  check(
      [](std::uint64_t* out) {
        __shared__ int array[64];
        int own = 0;
        array[threadIdx.x % 64] = 1;
        out[threadIdx.x] = (::hip_emulation::is_shared(array) ? 1u : 0u) |
                           (::hip_emulation::is_private(&own) ? 2u : 0u) |
                           (::hip_emulation::is_shared(out) || ::hip_emulation::is_private(out) ? 4u : 0u);
      },
      [](std::uint32_t, std::uint32_t) { return 3; });
}

TEST_CASE("the wall clock ticks as often as its frequency says") {
  CHECK(pasta::simt::wall_clock_ticks_per_second(0) == 100'000'000);
  CHECK(pasta::simt::wall_clock_ticks_per_second(1) == 0);
  CHECK(hipGetLastError() == hipSuccess);
  std::uint64_t const host_begin = pasta::get_nanoseconds<pasta::vendor::hip>{}();
  std::uint64_t const begin = pasta::simt::wall_clock();
  while (pasta::get_nanoseconds<pasta::vendor::hip>{}() - host_begin < 2'000'000) {
  }
  std::uint64_t const ticks = pasta::simt::wall_clock() - begin;
  CHECK(ticks >= 199'000);
}

TEST_CASE("a shape that no GPU accepts is the runtime's error, once") {
  hip_emulation::configuration(1, 2048).of(+[](int*) {})(nullptr);
  CHECK(hipPeekAtLastError() == hipErrorInvalidConfiguration);
  CHECK(hipGetLastError() == hipErrorInvalidConfiguration);
  CHECK(hipGetLastError() == hipSuccess);
}

TEST_CASE("points of a program are numbered in their order, whenever they are found") {
  hip_emulation::program_points points;
  auto const b = points.number_of({2}), d = points.number_of({4}), a = points.number_of({1});
  auto const in_b = points.number_of({2, 9}), c = points.number_of({3, 1});
  CHECK(a < b);
  CHECK(b < in_b);
  CHECK(in_b < c);
  CHECK(c < d);
  CHECK(points.number_of({2, 9}) == in_b);
}

TEST_CASE("where there is no number left between two points, that is said") {
  hip_emulation::program_points points;
  points.number_of({0});
  points.number_of({1000000});
  CHECK_THROWS_AS(
      [&] {
        for (std::uintptr_t i = 0; i < 1000; ++i) points.number_of({1000000 - i - 1});
      }(),
      std::length_error);
}
