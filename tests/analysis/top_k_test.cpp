// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <map>
#include <pasta/analysis/top_k.hpp>
#include <tuple>
#include <vector>

#include "laws.hpp"

namespace {

using counts = std::map<std::uint64_t, std::uint64_t>;

// A key from 0 to about 3,000, key k as often as 1 / (k + 1): few frequent keys and a long tail, as addresses have it.
std::uint64_t skewed(pasta_test::random_engine& random) {
  double const uniform = static_cast<double>(random() >> 11U) * 0x1p-53;
  return static_cast<std::uint64_t>(std::exp(8 * uniform)) - 1;
}

template <std::size_t K>
void check_bounds(pasta::top_k<K> const& top, counts const& truth) {
  std::uint64_t total = 0, within = 0;
  for (auto const& [key, count] : truth) {
    total += count;
    if (top.value(key) <= count && count <= top.value(key) + top.error_bound()) ++within;
  }
  CHECK(within == truth.size());
  CHECK(top.total() == total);
  CHECK(top.error_bound() <= total / (K + 1));
  CHECK(top.entries().size() <= K);
  for (auto const& entry : top.entries()) CHECK(truth.count(entry.key) == 1);
  for (auto const& [key, count] : truth) {
    if (count > total / (K + 1)) CHECK(top.value(key) > 0);
  }
}

auto const everything = [](auto const& top) { return std::make_tuple(top.entries(), top.total(), top.error_bound()); };

}  // namespace

TEST_CASE("top_k: up to K keys it is exact, and merging is a commutative monoid") {
  pasta_test::check_laws<pasta::top_k<16>>(
      [](auto& top, auto& random) {
        std::uint64_t const key = random() % 16;
        top.add(key, random() % 4);
      },
      everything);
}

TEST_CASE("top_k: with more than K keys merging is commutative and the empty state neutral") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    pasta_test::random_engine random(seed);
    pasta::top_k<8> a, b;
    for (int i = 0; i < 400; ++i) {
      a.add(skewed(random));
      b.add(skewed(random), 1 + random() % 3);
    }
    CHECK(everything(pasta_test::merged(a, b)) == everything(pasta_test::merged(b, a)));
    CHECK(everything(pasta_test::merged(a, {})) == everything(a));
    CHECK(everything(pasta_test::merged({}, a)) == everything(a));
  }
}

TEST_CASE("top_k: the bounds hold over seeds, for one state and for shards merged in any order") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    pasta_test::random_engine random(seed);
    pasta::top_k<10> whole;
    std::vector<pasta::top_k<10>> shards(8);
    counts truth;
    for (int i = 0; i < 5000; ++i) {
      std::uint64_t const key = skewed(random), n = 1 + random() % 3;
      whole.add(key, n);
      shards[random() % shards.size()].add(key, n);
      truth[key] += n;
    }
    check_bounds(whole, truth);
    pasta::top_k<10> forward, backward, tree;
    for (std::size_t i = 0; i < 8; ++i) forward.merge(shards[i]);
    for (std::size_t i = 8; i-- > 0;) backward.merge(shards[i]);
    for (std::size_t width = 1; width < 8; width *= 2) {
      for (std::size_t i = 0; i < 8; i += 2 * width) shards[i].merge(shards[i + width]);
    }
    tree = shards[0];
    check_bounds(forward, truth);
    check_bounds(backward, truth);
    check_bounds(tree, truth);
    CHECK(tree.entries().front().key == 0);  // one key in eight
  }
}

TEST_CASE("top_k: the worst case, all keys different, stays within the bound") {
  pasta::top_k<4> top;
  counts truth;
  for (std::uint64_t key = 0; key < 1000; ++key) {
    top.add(key);
    truth[key] = 1;
  }
  check_bounds(top, truth);
}

TEST_CASE("top_k: the bound does not grow with the number of merges") {
  // K keys of two, then 1,000 shards of K other keys each: every merge has to give up K keys, and the two must be used
  // up.
  pasta::top_k<10> sum;
  counts truth;
  for (std::uint64_t key = 0; key < 10; ++key) {
    sum.add(key, 2);
    truth[key] = 2;
  }
  for (std::uint64_t shard = 1; shard <= 1000; ++shard) {
    pasta::top_k<10> others;
    for (std::uint64_t key = 10 * shard; key < 10 * shard + 10; ++key) {
      others.add(key);
      truth[key] = 1;
    }
    sum.merge(others);
  }
  check_bounds(sum, truth);
}

TEST_CASE("top_k: a frequent key is kept against a tail of any length") {
  pasta::top_k<4> top;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    top.add(1);
    if (i % 2 == 0) top.add(1000 + i);
  }
  REQUIRE_FALSE(top.entries().empty());
  CHECK(top.entries().front().key == 1);
  CHECK(top.value(1) <= 10000);
  CHECK(top.value(1) + top.error_bound() >= 10000);
  CHECK(top.error_bound() <= 15000 / 5);
}

TEST_CASE("top_k: nothing added, zero occurrences, and counts beyond 2^32") {
  pasta::top_k<2> top;
  CHECK(top.entries().empty());
  CHECK(top.value(0) == 0);
  top.add(0, 0);
  CHECK(top.entries().empty());
  CHECK(top.total() == 0);
  top.add(0, std::uint64_t{1} << 40U);
  top.add(0);
  CHECK(top.value(0) == (std::uint64_t{1} << 40U) + 1);
  CHECK(top.error_bound() == 0);
}

TEST_CASE("top_k: entries come the most frequent first, equal ones by key") {
  pasta::top_k<4, std::int32_t> top;
  top.add(7, 2);
  top.add(-3, 2);
  top.add(5, 9);
  using entry = pasta::top_k<4, std::int32_t>::entry;
  CHECK(top.entries() == std::vector<entry>{{5, 9}, {-3, 2}, {7, 2}});
}

static_assert(sizeof(pasta::top_k<8>) == 8 * 16 + 16);
