// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <pasta/analysis/common_value.hpp>

#include "laws.hpp"

TEST_CASE("common_value: merging is a commutative monoid") {
  // Nearly always the same value: empty, one value and mixed all meet.
  pasta_test::check_laws<pasta::common_value<std::int64_t>>(
      [](auto& common, auto& random) { common.observe(random() % 100 == 0 ? 8 : 128); });
  pasta_test::check_laws<pasta::common_value<std::int64_t>>([](auto& common, auto&) { common.observe(128); });
}

TEST_CASE("common_value: empty, one value, mixed") {
  pasta::common_value<int> common;
  CHECK(common.is_empty());
  CHECK_FALSE(common.is_mixed());
  CHECK_FALSE(common.value().has_value());
  CHECK(common.value_or(-1) == -1);
  common.observe(0);
  common.observe(0);
  CHECK_FALSE(common.is_empty());
  CHECK_FALSE(common.is_mixed());
  CHECK(common.value() == 0);
  common.observe(4);
  CHECK(common.is_mixed());
  CHECK_FALSE(common.is_empty());
  CHECK_FALSE(common.value().has_value());
  CHECK(common.value_or(-1) == -1);
  common.observe(4);
  CHECK(common.is_mixed());
}

TEST_CASE("common_value: how it became mixed leaves no trace") {
  pasta::common_value<int> a, b;
  a.observe(1);
  a.observe(2);
  b.observe(3);
  b.observe(4);
  CHECK(a == b);
}

TEST_CASE("common_value: works on a struct with ==") {
  struct shape {
    std::uint32_t x, y;
    bool operator==(shape const&) const = default;
  };
  pasta::common_value<shape> common;
  common.observe({1, 2});
  common.observe({1, 2});
  CHECK(common.value() == shape{1, 2});
  common.observe({2, 1});
  CHECK(common.is_mixed());
}
