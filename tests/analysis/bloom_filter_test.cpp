// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <pasta/analysis/bloom_filter.hpp>

#include "laws.hpp"

TEST_CASE("bloom_filter: merging is a commutative monoid") {
  auto const insert = [](auto& filter, auto& random) { filter.insert(random() % 5000); };
  pasta_test::check_laws<pasta::bloom_filter<1024>>(insert);
  pasta_test::check_laws<pasta::bloom_filter<64, 1>>(insert);
}

TEST_CASE("bloom_filter: never says absent of a key that was inserted, in any shard") {
  pasta::bloom_filter<4096, 3> shards[4];
  for (std::uint64_t key = 0; key < 2000; ++key) shards[key % 4].insert(key * 128);
  pasta::bloom_filter<4096, 3> sum;
  for (auto const& shard : shards) sum.merge(shard);
  std::uint64_t missing = 0;
  for (std::uint64_t key = 0; key < 2000; ++key) missing += sum.may_contain(key * 128) ? 0 : 1;
  CHECK(missing == 0);
}

TEST_CASE("bloom_filter: a key sets as many bits as there are hashes") {
  for (std::uint64_t key = 0; key < 1000; ++key) {
    pasta::bloom_filter<64, 16> filter;
    filter.insert(key);
    if (filter.bits_set() != 16) FAIL_CHECK("key " << key << ": " << filter.bits_set());
  }
}

TEST_CASE("bloom_filter: false positives are as rare as the formula says") {
  // 8 bits a key, 4 hashes: (1 - e^(-1/2))^4 = 2.4 %. Addresses in steps of 128 bytes, as a kernel makes them.
  constexpr std::uint64_t keys = 8192;
  pasta::bloom_filter<8 * keys, 4> filter;
  for (std::uint64_t key = 0; key < keys; ++key) filter.insert(0x7f0000000000U + key * 128);
  double false_positives = 0;
  constexpr std::uint64_t tried = 100000;
  for (std::uint64_t key = 0; key < tried; ++key) {
    false_positives += filter.may_contain(0x7f0000000000U + (keys + key) * 128) ? 1 : 0;
  }
  double const expected = std::pow(1 - std::exp(-0.5), 4.0);
  CHECK(false_positives / tried == pasta_test::approx(expected).epsilon(0.1));
  CHECK(filter.false_positive_rate() == pasta_test::approx(expected).epsilon(0.05));
}

TEST_CASE("bloom_filter: the estimate is near the number of different keys") {
  for (std::uint64_t keys : {0U, 1U, 100U, 1000U, 4000U}) {
    double sum = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      pasta::bloom_filter<16384, 4> filter;
      for (std::uint64_t repeat = 0; repeat < 2; ++repeat) {
        for (std::uint64_t key = 0; key < keys; ++key) filter.insert((seed << 32U) + key * 32);
      }
      REQUIRE(filter.estimate().has_value());
      // One filter of 4,000 keys has a standard error near 1 %.
      CHECK(std::abs(*filter.estimate() - static_cast<double>(keys)) <= 0.05 * static_cast<double>(keys) + 0.01);
      sum += *filter.estimate();
    }
    CHECK(std::abs(sum / 20 - static_cast<double>(keys)) <= 0.015 * static_cast<double>(keys) + 0.01);
  }
}

TEST_CASE("bloom_filter: a full filter gives no estimate") {
  pasta::bloom_filter<64, 4> filter;
  CHECK(filter.estimate() == 0.0);
  CHECK_FALSE(filter.may_contain(1));
  for (std::uint64_t key = 0; key < 1000; ++key) filter.insert(key);
  CHECK(filter.bits_set() == 64);
  CHECK_FALSE(filter.estimate().has_value());
  CHECK(filter.false_positive_rate() == 1.0);
}

static_assert(sizeof(pasta::bloom_filter<1024>) == 128);
