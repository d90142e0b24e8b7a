// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <pasta/analysis/earliest.hpp>
#include <utility>

#include "laws.hpp"

namespace {

struct sample {
  std::uint64_t address;
  std::uint32_t block, lane;
  bool operator==(sample const&) const = default;
};

auto const view = [](auto const& e) { return std::make_pair(e.is_empty() ? 0 : e.key() + 1, e.value()); };

}  // namespace

TEST_CASE("earliest: merging is a commutative monoid, also where keys are equal") {
  // Few keys and few samples, so that ties are common.
  pasta_test::check_laws<pasta::earliest<sample>>(
      [](auto& e, auto& random) {
        std::uint64_t const key = random() % 6;
        std::uint64_t const address = random() % 1000;
        e.observe(key, {address, static_cast<std::uint32_t>(random() % 3), static_cast<std::uint32_t>(random() % 32)});
      },
      view);
}

TEST_CASE("earliest: keeps the sample with the smallest key") {
  pasta::earliest<sample> e;
  CHECK(e.is_empty());
  CHECK_FALSE(e.value().has_value());
  e.observe(std::numeric_limits<std::uint64_t>::max(), {1, 1, 1});
  CHECK_FALSE(e.is_empty());
  CHECK(e.value() == sample{1, 1, 1});
  e.observe(10, {2, 2, 2});
  e.observe(20, {3, 3, 3});
  CHECK(e.key() == 10);
  CHECK(e.value() == sample{2, 2, 2});
  e.observe(0, {4, 4, 4});
  CHECK(e.key() == 0);
  CHECK(e.value() == sample{4, 4, 4});
}

TEST_CASE("earliest: key 0 and a sample of zeros are not the empty state") {
  pasta::earliest<sample> e;
  e.observe(0, {0, 0, 0});
  CHECK_FALSE(e.is_empty());
  pasta::earliest<sample> later;
  later.observe(1, {5, 5, 5});
  CHECK(pasta_test::merged(later, e).value() == sample{0, 0, 0});
  CHECK(pasta_test::merged(later, {}).value() == sample{5, 5, 5});
}

TEST_CASE("earliest: equal keys keep the smaller bytes, whichever came first") {
  pasta::earliest<sample> a, b;
  a.observe(5, {1, 2, 3});
  a.observe(5, {1, 2, 4});
  b.observe(5, {1, 2, 4});
  b.observe(5, {1, 2, 3});
  CHECK(a.value() == sample{1, 2, 3});
  CHECK(b.value() == sample{1, 2, 3});
}
