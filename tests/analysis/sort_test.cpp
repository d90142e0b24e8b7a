// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <pasta/analysis/count.hpp>
#include <pasta/analysis/sort.hpp>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "catch.hpp"

namespace {

// Sizes with every kind of key: all different, few different ones, all the same.
struct input {
  std::size_t size;
  std::uint64_t key_count;
};
constexpr input inputs[] = {{0, 1},   {1, 1},    {2, 1},       {2, 100},       {17, 3},
                            {100, 1}, {1000, 7}, {1000, 5000}, {1000000, 100}, {1000000, std::uint64_t{1} << 60U}};

std::vector<std::uint64_t> random_keys(input const& shape) {
  std::mt19937_64 random(shape.size + shape.key_count);
  std::vector<std::uint64_t> keys(shape.size);
  for (auto& key : keys) key = random() % shape.key_count;
  return keys;
}

// Ordered by high alone, so that stability can be seen.
struct record {
  std::uint32_t high, low;
  bool operator<(record const& other) const { return high < other.high; }
  bool operator==(record const& other) const { return high == other.high; }
};

}  // namespace

TEST_CASE("sort: equals the reference") {
  for (input const& shape : inputs) {
    CAPTURE(shape.size, shape.key_count);
    auto keys = random_keys(shape);
    auto reference = keys;
    std::sort(reference.begin(), reference.end());
    pasta::sort(keys);
    CHECK((keys == reference));
  }
}

TEST_CASE("sort: takes a span, an array and a named vendor, and leaves the rest alone") {
  std::vector<int> values = {9, 3, 1, 2, 0};
  pasta::sort<pasta::vendor::host>(std::span(values).subspan(1, 3));
  CHECK(values == std::vector<int>{9, 1, 2, 3, 0});
  std::array<float, 3> three = {2, -1, 0};
  pasta::sort(three);
  CHECK(three == std::array<float, 3>{-1, 0, 2});
}

TEST_CASE("sort: is stable") {
  std::vector<record> values;
  std::mt19937 random(3);
  for (std::uint32_t i = 0; i < 5000; ++i) values.push_back({static_cast<std::uint32_t>(random() % 10), i});
  pasta::sort(values);
  for (std::size_t i = 1; i < values.size(); ++i) {
    REQUIRE(values[i - 1].high <= values[i].high);
    if (values[i - 1].high == values[i].high) REQUIRE(values[i - 1].low < values[i].low);
  }
}

TEST_CASE("sort: a NaN has a place, and does not disturb the others") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  double const infinity = std::numeric_limits<double>::infinity();
  std::vector<double> values = {1, nan, -infinity, 0.0, -0.0, infinity, -1};
  pasta::sort(values);
  REQUIRE(values.size() == 7);
  CHECK(std::vector<double>(values.begin(), values.begin() + 6) ==
        std::vector<double>{-infinity, -1, -0.0, 0.0, 1, infinity});
  CHECK(std::signbit(values[2]));
  CHECK_FALSE(std::signbit(values[3]));
  CHECK(std::isnan(values[6]));
}

TEST_CASE("sort_by_key: equals the reference and is stable") {
  for (input const& shape : inputs) {
    CAPTURE(shape.size, shape.key_count);
    auto keys = random_keys(shape);
    std::vector<std::uint32_t> values(keys.size());
    std::iota(values.begin(), values.end(), 0U);
    auto reference = values;
    std::sort(reference.begin(), reference.end(),
              [&](auto a, auto b) { return std::pair(keys[a], a) < std::pair(keys[b], b); });
    auto const old = keys;
    pasta::sort_by_key(keys, values);
    CHECK((values == reference));
    CHECK(std::is_sorted(keys.begin(), keys.end()));
    bool together = true;
    for (std::size_t i = 0; i < keys.size(); ++i) together = together && keys[i] == old[values[i]];
    CHECK(together);
  }
}

TEST_CASE("unique: keeps the first of each run") {
  for (input const& shape : inputs) {
    CAPTURE(shape.size, shape.key_count);
    auto keys = random_keys(shape);
    if (shape.size % 2 == 0) std::sort(keys.begin(), keys.end());
    auto reference = keys;
    reference.erase(std::unique(reference.begin(), reference.end()), reference.end());
    std::size_t const kept = pasta::unique(keys);
    REQUIRE(kept == reference.size());
    CHECK(std::equal(reference.begin(), reference.end(), keys.begin()));
  }
  std::vector<record> runs = {{1, 0}, {1, 1}, {2, 2}, {1, 3}};
  REQUIRE(pasta::unique(runs) == 3);
  CHECK(runs[0].low == 0);
  CHECK(runs[1].low == 2);
  CHECK(runs[2].low == 3);
}

TEST_CASE("reduce_by_key: equals the reference") {
  for (input const& shape : inputs) {
    CAPTURE(shape.size, shape.key_count);
    auto keys = random_keys(shape);
    std::vector<std::uint64_t> values(keys.size());
    std::iota(values.begin(), values.end(), 1U);
    std::map<std::uint64_t, std::uint64_t> sums, maxima;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      sums[keys[i]] += values[i];
      maxima[keys[i]] = std::max(maxima[keys[i]], values[i]);
    }
    pasta::sort_by_key(keys, values);
    auto const sum = pasta::reduce_by_key(keys, values);
    auto const greatest =
        pasta::reduce_by_key<pasta::vendor::host>(keys, values, [](auto a, auto b) { return std::max(a, b); });
    REQUIRE(sum.keys.size() == sums.size());
    REQUIRE(sum.values.size() == sums.size());
    REQUIRE(greatest.values.size() == sums.size());
    std::size_t i = 0;
    bool equal = true;
    for (auto const& [key, total] : sums) {
      equal = equal && sum.keys[i] == key && sum.values[i] == total && greatest.values[i] == maxima[key];
      ++i;
    }
    CHECK(equal);
  }
}

TEST_CASE("reduce_by_key: reduces runs, from the left, without sorting") {
  std::vector<int> const keys = {1, 1, 2, 1};
  std::vector<int> const values = {10, 3, 5, 7};
  auto const result = pasta::reduce_by_key(keys, values, [](int a, int b) { return a - b; });
  CHECK(result.keys == std::vector<int>{1, 2, 1});
  CHECK(result.values == std::vector<int>{7, 5, 7});
}

TEST_CASE("reduce_by_key: values may be analysis state") {
  std::vector<int> const keys = {4, 4, 9};
  std::vector<pasta::count> counts(3);
  counts[0].add(1);
  counts[1].add(2);
  counts[2].add(5);
  auto const result = pasta::reduce_by_key(keys, counts, [](pasta::count a, pasta::count const& b) {
    a.merge(b);
    return a;
  });
  REQUIRE(result.keys == std::vector<int>{4, 9});
  CHECK(result.values[0].value() == 3);
  CHECK(result.values[1].value() == 5);
}

TEST_CASE("sort_by_key, reduce_by_key: different lengths are refused in one line") {
  std::vector<int> keys = {1, 2, 3}, values = {1, 2};
  CHECK_THROWS_WITH(pasta::sort_by_key(keys, values), "pasta::sort_by_key: 3 keys but 2 values");
  CHECK_THROWS_WITH(pasta::reduce_by_key(keys, values), "pasta::reduce_by_key: 3 keys but 2 values");
}

TEST_CASE("sort: a vendor without a back end is known at compile time") {
  struct unknown {};
  CHECK(pasta::has_sort_backend<pasta::vendor::host>);
  CHECK_FALSE(pasta::has_sort_backend<unknown>);
}
