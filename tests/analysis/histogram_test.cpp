// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <pasta/analysis/histogram.hpp>

#include "laws.hpp"

TEST_CASE("histogram: merging is a commutative monoid") {
  pasta_test::check_laws<pasta::histogram<33>>([](auto& h, auto& random) {
    std::uint64_t const bin = random() % 40;
    h.add(bin, random() % 5);
  });
}

TEST_CASE("log2_histogram: merging is a commutative monoid") {
  auto const add = [](auto& h, auto& random) {
    std::uint64_t const value = random();
    h.add(value >> (random() % 64));
  };
  pasta_test::check_laws<pasta::log2_histogram<>>(add);
  pasta_test::check_laws<pasta::log2_histogram<10>>(add);
}

TEST_CASE("histogram: what has no bin is counted as overflow") {
  pasta::histogram<3> h;
  h.add(0);
  h.add(2, 5);
  h.add(3);
  h.add(std::numeric_limits<std::uint64_t>::max(), 2);
  CHECK(h.value(0) == 1);
  CHECK(h.value(1) == 0);
  CHECK(h.value(2) == 5);
  CHECK(h.value(3) == 0);
  CHECK(h.value(std::numeric_limits<std::uint64_t>::max()) == 0);
  CHECK(h.overflow() == 3);
  CHECK(h.total() == 9);
}

TEST_CASE("log2_histogram: bins are powers of two") {
  using log2 = pasta::log2_histogram<>;
  CHECK(log2::bin_of(0) == 0);
  CHECK(log2::bin_of(1) == 1);
  CHECK(log2::bin_of(2) == 2);
  CHECK(log2::bin_of(3) == 2);
  CHECK(log2::bin_of(4) == 3);
  CHECK(log2::bin_of(std::numeric_limits<std::uint64_t>::max()) == 64);
  for (std::size_t bin = 0; bin < log2::bin_count; ++bin) {
    CAPTURE(bin);
    CHECK(log2::bin_of(log2::lowest_of(bin)) == bin);
    CHECK(log2::bin_of(log2::highest_of(bin)) == bin);
    if (bin > 0) CHECK(log2::highest_of(bin - 1) + 1 == log2::lowest_of(bin));
  }
  CHECK(log2::highest_of(64) == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("log2_histogram: 65 bins hold every value, fewer overflow") {
  pasta::log2_histogram<> all;
  pasta::log2_histogram<4> few;
  for (std::uint64_t value : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{8}, ~std::uint64_t{0}}) {
    all.add(value);
    few.add(value);
  }
  CHECK(all.overflow() == 0);
  CHECK(all.total() == 4);
  CHECK(all.value(64) == 1);
  CHECK(few.overflow() == 2);
  CHECK(few.value(3) == 1);
  CHECK(few.total() == 4);
}

TEST_CASE("histogram: bins are exact beyond 2^32") {
  pasta::histogram<2> a, b;
  a.add(1, std::uint64_t{1} << 40U);
  b.add(1, 1);
  a.merge(b);
  CHECK(a.value(1) == (std::uint64_t{1} << 40U) + 1);
}

static_assert(sizeof(pasta::histogram<32>) == 8 * 33);
