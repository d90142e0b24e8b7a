// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <limits>
#include <pasta/analysis/max.hpp>
#include <pasta/analysis/min.hpp>

#include "laws.hpp"

TEMPLATE_TEST_CASE("max, min: merging is a commutative monoid", "", std::int8_t, std::uint32_t, std::int64_t,
                   std::uint64_t, float, double) {
  auto const observe = [](auto& state, auto& random) {
    state.observe(static_cast<TestType>(static_cast<std::int64_t>(random() % 200) - 100));
  };
  pasta_test::check_laws<pasta::max<TestType>>(observe);
  pasta_test::check_laws<pasta::min<TestType>>(observe);
}

TEMPLATE_TEST_CASE("max, min: empty is not zero, and the limits of the type are values", "", std::int32_t,
                   std::uint64_t, double) {
  using limits = std::numeric_limits<TestType>;
  pasta::max<TestType> greatest;
  pasta::min<TestType> least;
  CHECK(greatest.is_empty());
  CHECK(least.is_empty());
  CHECK_FALSE(greatest.value().has_value());
  CHECK_FALSE(least.value().has_value());
  CHECK(greatest.value_or(7) == 7);
  CHECK(least.value_or(7) == 7);
  greatest.observe(limits::lowest());
  least.observe(limits::max());
  CHECK_FALSE(greatest.is_empty());
  CHECK(greatest.value() == limits::lowest());
  CHECK(least.value() == limits::max());
  greatest.observe(1);
  greatest.observe(0);
  least.observe(0);
  least.observe(1);
  CHECK(greatest.value() == TestType{1});
  CHECK(least.value() == TestType{0});
  CHECK(greatest.value_or(7) == TestType{1});
}

TEST_CASE("max, min: a NaN is not observed") {
  pasta::max<float> greatest;
  pasta::min<float> least;
  float const nan = std::numeric_limits<float>::quiet_NaN();
  greatest.observe(nan);
  least.observe(nan);
  CHECK(greatest.is_empty());
  CHECK(least.is_empty());
  greatest.observe(-2.0F);
  greatest.observe(nan);
  least.observe(2.0F);
  least.observe(nan);
  CHECK(greatest.value() == -2.0F);
  CHECK(least.value() == 2.0F);
}

TEST_CASE("max, min: infinities are values, and a negative zero is a zero in any order") {
  double const infinity = std::numeric_limits<double>::infinity();
  pasta::max<double> greatest;
  greatest.observe(infinity);
  CHECK(greatest.value() == infinity);
  for (double first : {0.0, -0.0}) {
    pasta::max<double> high;
    pasta::min<double> low;
    high.observe(first);
    high.observe(-first);
    low.observe(first);
    low.observe(-first);
    CHECK_FALSE(std::signbit(*high.value()));
    CHECK_FALSE(std::signbit(*low.value()));
  }
}

static_assert(sizeof(pasta::max<std::uint32_t>) == 8 && sizeof(pasta::min<std::uint64_t>) == 16);
