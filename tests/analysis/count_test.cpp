// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <pasta/analysis/count.hpp>

#include "laws.hpp"

TEST_CASE("count: merging is a commutative monoid") {
  pasta_test::check_laws<pasta::count>([](pasta::count& c, auto& random) { c.add(random() % 1000); });
}

TEST_CASE("count: add adds one or n") {
  pasta::count c;
  CHECK(c.value() == 0);
  c.add();
  c.add(41);
  c.add(0);
  CHECK(c.value() == 42);
}

TEST_CASE("count: 2^24 blocks of 1,024 threads are exact in 64 bits") {
  // 2^24 blocks on 132 shards, each thread adding 1, 32 or 128 bytes; then merged as at the end of a launch.
  constexpr std::uint64_t blocks = std::uint64_t{1} << 24U, threads = 1024, shard_count = 132;
  for (std::uint64_t n : {1U, 32U, 128U}) {
    std::vector<pasta::count> shards(shard_count);
    for (std::uint64_t block = 0; block < blocks; ++block) shards[block % shard_count].add(threads * n);
    pasta::count sum;
    for (pasta::count const& shard : shards) sum.merge(shard);
    CHECK(sum.value() == 17179869184U * n);
  }
}

TEST_CASE("count: exact up to the greatest 64-bit number") {
  pasta::count a, b;
  a.add(std::uint64_t{1} << 63U);
  b.add((std::uint64_t{1} << 63U) - 1);
  a.merge(b);
  CHECK(a.value() == std::numeric_limits<std::uint64_t>::max());
}

static_assert(sizeof(pasta::count) == 8);
