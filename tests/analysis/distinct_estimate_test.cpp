// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <pasta/analysis/distinct_estimate.hpp>

#include "laws.hpp"

TEST_CASE("distinct_estimate: merging is a commutative monoid") {
  auto const insert = [](auto& estimate, auto& random) { estimate.insert(random() % 3000); };
  pasta_test::check_laws<pasta::distinct_estimate<10>>(insert);
  pasta_test::check_laws<pasta::distinct_estimate<4>>(insert);
  pasta_test::check_laws<pasta::distinct_estimate<16>>(insert);
}

TEST_CASE("distinct_estimate: nothing inserted is exactly 0, one key is 1") {
  pasta::distinct_estimate<> estimate;
  CHECK(estimate.estimate() == 0);
  estimate.insert(0);
  CHECK(estimate.estimate() == pasta_test::approx(1.0).epsilon(0.01));
  for (int i = 0; i < 1000; ++i) estimate.insert(0);
  CHECK(estimate.estimate() == pasta_test::approx(1.0).epsilon(0.01));
}

TEST_CASE("distinct_estimate: error and bias over seeds are as promised, at every size") {
  // 2^10 registers; the sizes lie where Flajolet's estimator is linear counting, where it changes over, and beyond.
  constexpr int seeds = 200;
  double const promised = pasta::distinct_estimate<10>::standard_error();
  CHECK(promised == pasta_test::approx(0.0325).epsilon(0.001));
  for (std::uint64_t keys : {10U, 100U, 1000U, 2500U, 5000U, 20000U, 100000U}) {
    CAPTURE(keys);
    double sum = 0, squares = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      pasta::distinct_estimate<10> estimate;
      std::uint64_t const base = seed * 0x10000000000U;
      for (std::uint64_t key = 0; key < keys; ++key) estimate.insert(base + key * 32);  // sectors of an array
      double const error = estimate.estimate() / static_cast<double>(keys) - 1;
      sum += error;
      squares += error * error;
    }
    // The mean of 200 has a standard error of 0.07 of one's; the root mean square one of 0.05 of itself.
    CHECK(std::abs(sum / seeds) < 0.25 * promised);
    CHECK(std::sqrt(squares / seeds) < 1.2 * promised);
  }
}

TEST_CASE("distinct_estimate: the error shrinks with the precision") {
  auto const error_of = [](auto estimate) {
    double squares = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      decltype(estimate) fresh;
      for (std::uint64_t key = 0; key < 30000; ++key) fresh.insert((seed << 40U) + key);
      double const error = fresh.estimate() / 30000 - 1;
      squares += error * error;
    }
    return std::sqrt(squares / 60);
  };
  double const coarse = error_of(pasta::distinct_estimate<6>{});
  double const fine = error_of(pasta::distinct_estimate<12>{});
  CHECK(coarse < 1.3 * 1.04 / 8);
  CHECK(fine < 1.3 * 1.04 / 64);
  CHECK(coarse > 3 * fine);
}

TEST_CASE("distinct_estimate: the estimate of a merge counts common keys once") {
  pasta::distinct_estimate<14> a, b;
  for (std::uint64_t key = 0; key < 60000; ++key) a.insert(key);
  for (std::uint64_t key = 30000; key < 90000; ++key) b.insert(key);
  a.merge(b);
  CHECK(a.estimate() == pasta_test::approx(90000.0).epsilon(0.04));
}

static_assert(sizeof(pasta::distinct_estimate<10>) == 1024);
