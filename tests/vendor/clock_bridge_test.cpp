// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/session/clock_bridge.hpp>
#include <vector>

#include "catch.hpp"

using pasta::detail::clock_bridge;

namespace {

// Clocks that are read one after the other, each reading as long after the one before as is said.
struct clocks {
  std::uint64_t now_ns = 0;
  std::vector<std::uint64_t> steps_ns;
  std::size_t next = 0;
  double rate = 1;             // of the other clock
  std::uint64_t ahead_ns = 0;  // what it shows at the host's 0

  std::uint64_t step() { return now_ns += steps_ns[next++ % steps_ns.size()]; }
  std::uint64_t other_at(std::uint64_t host_ns) const {
    return ahead_ns + static_cast<std::uint64_t>(rate * static_cast<double>(host_ns));
  }
  clock_bridge::reading read() {
    return clock_bridge::read([this] { return other_at(step()); }, [this] { return step(); });
  }
};

std::uint64_t difference(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

}  // namespace

TEST_CASE("one reading shifts times, also those before it, and says how wrong they may be") {
  clocks both{.now_ns = 1'000'000, .steps_ns = {40, 60}, .ahead_ns = 1'700'000'000'000'000'000};
  clock_bridge bridge;
  bridge.add(both.read());
  CHECK(bridge.error_ns() == 50);
  for (std::uint64_t const host : {std::uint64_t{500'000}, std::uint64_t{1'000'000}, std::uint64_t{9'000'000}}) {
    CHECK(difference(bridge.to_host(both.other_at(host)), host) <= bridge.error_ns());
  }
}

TEST_CASE("of several tries the one counts that was not interrupted") {
  // The host's first reading, the other clock's, the host's second: a long time passes in all tries but the last.
  clocks both{.steps_ns = {}, .ahead_ns = 5'000};
  for (int i = 0; i < 7; ++i) both.steps_ns.insert(both.steps_ns.end(), {10, 900'000, 100});
  both.steps_ns.insert(both.steps_ns.end(), {10, 30, 50});
  clock_bridge bridge;
  bridge.add(both.read());
  CHECK(bridge.error_ns() == 40);
  CHECK(difference(bridge.to_host(both.other_at(123'456)), 123'456) <= 40);
}

TEST_CASE("between two readings clocks that drift apart agree, and behind the last one it goes on from there") {
  // One second in a million: a clock that is corrected over the network may do that.
  clocks both{.now_ns = 0, .steps_ns = {20, 20}, .rate = 1 + 1e-6, .ahead_ns = 77'000'000'000};
  clock_bridge bridge;
  bridge.add(both.read());
  both.now_ns = 1'000'000'000'000;  // 1000 s, and 1 ms of difference
  bridge.add(both.read());
  for (std::uint64_t host = 0; host <= 1'000'000'000'000; host += 50'000'000'000) {
    CHECK(difference(bridge.to_host(both.other_at(host + 1000)), host + 1000) <= 2 * bridge.error_ns() + 10);
  }
  std::uint64_t const later = 1'000'100'000'000;
  CHECK(difference(bridge.to_host(both.other_at(later)), later) <= 200);  // 0.1 s of drift: 100 ns
}

TEST_CASE("the host's own clock is brought to itself") {
  clock_bridge bridge;
  pasta::get_nanoseconds<pasta::vendor::host> const now;
  bridge.add(clock_bridge::read(now));
  std::uint64_t const taken = now();
  bridge.add(clock_bridge::read(now));
  CHECK(difference(bridge.to_host(taken), taken) <= bridge.error_ns() + 10);
}
