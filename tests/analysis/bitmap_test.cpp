// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <pasta/analysis/bitmap.hpp>
#include <set>

#include "laws.hpp"

TEST_CASE("bitmap: merging is a commutative monoid") {
  auto const set = [](auto& bits, auto& random) { bits.set(random() % 140); };
  pasta_test::check_laws<pasta::bitmap<130>>(set);
  pasta_test::check_laws<pasta::bitmap<1>>(set);
  pasta_test::check_laws<pasta::bitmap<4096>>(set);
}

TEST_CASE("bitmap: merging again changes nothing") {
  pasta::bitmap<100> a;
  a.set(3);
  a.set(99);
  CHECK(pasta_test::merged(a, a) == a);
}

TEST_CASE("bitmap: equals a set of numbers") {
  pasta_test::random_engine random(7);
  pasta::bitmap<1000> bits;
  std::set<std::uint64_t> reference;
  for (int i = 0; i < 700; ++i) {
    std::uint64_t const bit = random() % 1000;
    bits.set(bit);
    reference.insert(bit);
  }
  CHECK(bits.count() == reference.size());
  for (std::uint64_t bit = 0; bit < 1000; ++bit) {
    if (bits.test(bit) != (reference.count(bit) != 0)) FAIL_CHECK("bit " << bit);
  }
}

TEST_CASE("bitmap: a number that does not fit is not kept and not forgotten") {
  pasta::bitmap<64> bits;
  bits.set(63);
  CHECK_FALSE(bits.has_outside());
  bits.set(64);
  CHECK(bits.has_outside());
  CHECK(bits.count() == 1);
  CHECK_FALSE(bits.test(64));
  CHECK_FALSE(bits.test(std::numeric_limits<std::uint64_t>::max()));
  CHECK(pasta_test::merged(pasta::bitmap<64>{}, bits).has_outside());
}

static_assert(sizeof(pasta::bitmap<65>) == 24);
