// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_TARGETS_MEASURE_HPP
#define PASTA_TESTS_TARGETS_MEASURE_HPP

#include <access_count.hpp>
#include <coalescing.hpp>
#include <pasta/testing.hpp>
#include <set>

#include "catch.hpp"

namespace pasta_test {

/// What the tools found at all sites of a kernel of one operation and space; requests and sectors only of global
/// memory.
struct traffic {
  std::uint64_t requests = 0, sectors = 0, needed = 0, accesses = 0;
  friend bool operator==(traffic const&, traffic const&) = default;
  friend std::ostream& operator<<(std::ostream& out, traffic const& all) {
    return out << all.requests << " requests, " << all.sectors << " sectors, " << all.needed << " needed, "
               << all.accesses << " accesses";
  }
};
using traffic_by_kind = std::map<std::pair<pasta::operation, pasta::memory_space>, traffic>;

inline constexpr std::pair global_load{pasta::operation::load, pasta::memory_space::global};
inline constexpr std::pair global_store{pasta::operation::store, pasta::memory_space::global};
inline constexpr std::pair global_atomic{pasta::operation::atomic, pasta::memory_space::global};
inline constexpr std::pair shared_load{pasta::operation::load, pasta::memory_space::shared};
inline constexpr std::pair shared_store{pasta::operation::store, pasta::memory_space::shared};

/// Runs a target under coalescing and then under access_count, each time from the start, and checks its result.
template <class Problem>
std::map<std::string, traffic_by_kind> measure(std::size_t size, std::uint32_t warp_width, std::uint32_t threads) {
  std::map<std::string, traffic_by_kind> found;
  auto const run = [&](auto& test) {
    Problem problem(size);
    problem.run([&](auto const&... what) { test.launch(what...); });
    CHECK(problem.check() == "");
  };
  pasta::testing::fixture<coalescing> requests({.warp_width = warp_width, .threads = threads});
  run(requests);
  for (auto const& kernel : requests.results().kernels) {
    for (auto const& site : kernel.sites) {
      traffic& sum = found[kernel.name][{site.site.what, site.site.space}];
      sum.requests += site.state.requests.value();
      sum.sectors += site.state.sectors.value();
      sum.needed += site.state.sectors_needed.value();
    }
  }
  pasta::testing::fixture<access_count> counts({.warp_width = warp_width, .threads = threads});
  run(counts);
  for (auto const& kernel : counts.results().kernels) {
    for (auto const& site : kernel.sites)
      found[kernel.name][{site.site.what, site.site.space}].accesses += site.executions;
  }
  return found;
}

/// Adds up requests from their definition: the lanes' first bytes in, sets of sectors and of bytes counted.
class request_sum {
 public:
  void add(std::vector<std::uint64_t> const& first_bytes, std::uint64_t size_bytes) {
    if (first_bytes.empty()) return;
    std::set<std::uint64_t> sectors, bytes;
    for (std::uint64_t const first : first_bytes) {
      for (std::uint64_t i = 0; i < size_bytes; ++i) {
        sectors.insert((first + i) / 32);
        bytes.insert(first + i);
      }
    }
    sum_.requests += 1;
    sum_.sectors += sectors.size();
    sum_.needed += (bytes.size() + 31) / 32;
    sum_.accesses += first_bytes.size();
  }
  traffic const& sum() const { return sum_; }

 private:
  traffic sum_;
};

inline std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

}  // namespace pasta_test
#endif
