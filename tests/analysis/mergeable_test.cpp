// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <cstring>
#include <pasta/analysis/count.hpp>
#include <pasta/analysis/histogram.hpp>
#include <pasta/analysis/max.hpp>
#include <pasta/analysis/mergeable.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "catch.hpp"

namespace {

using pasta::count;

struct empty {};
struct one {
  count a;
};
struct site_state {
  count requests, sectors;
};
struct nested {
  site_state inner;
  pasta::max<float> highest;
};
struct arrays {
  count plain[3];
  std::array<count, 2> standard;
  site_state grid[2][2];
  std::array<count, 0> none;
};
struct sixteen {
  count a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
};
struct seventeen {
  count a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q;
};
struct with_integer {
  count a;
  int n;
};
struct with_nested_integer {
  site_state good;
  with_integer bad;
};
struct with_bit_field {
  unsigned n : 3;
  count a;
};
struct with_pointer {
  count* a;
};
struct with_reference {
  count& a;
};
struct with_string {
  std::string a;
};
struct with_base : site_state {
  count a;
};
struct with_empty_base : empty {
  count a;
};
class with_private {
 public:
  count a;

 private:
  [[maybe_unused]] count b_;
};
struct merges_with_result {
  int merge(merges_with_result const&) { return 0; }
};
struct merges_by_value {
  std::uint32_t bits = 0;
  void merge(merges_by_value other) { bits |= other.bits; }
};
struct const_merge_source {
  void merge(const_merge_source&) {}
};

static_assert(pasta::mergeable<count> && pasta::mergeable<pasta::histogram<3>> && pasta::mergeable<merges_by_value>);
static_assert(!pasta::mergeable<int> && !pasta::mergeable<site_state> && !pasta::mergeable<merges_with_result> &&
              !pasta::mergeable<const_merge_source>);

static_assert(pasta::mergeable_state<empty> && pasta::mergeable_state<one> && pasta::mergeable_state<site_state> &&
              pasta::mergeable_state<nested> && pasta::mergeable_state<arrays> && pasta::mergeable_state<sixteen> &&
              pasta::mergeable_state<count> && pasta::mergeable_state<count[3]>);
static_assert(!pasta::mergeable_state<seventeen> && !pasta::mergeable_state<with_integer> &&
              !pasta::mergeable_state<with_nested_integer> && !pasta::mergeable_state<with_bit_field> &&
              !pasta::mergeable_state<with_pointer> && !pasta::mergeable_state<with_reference> &&
              !pasta::mergeable_state<with_string> && !pasta::mergeable_state<with_base> &&
              !pasta::mergeable_state<with_empty_base> && !pasta::mergeable_state<with_private> &&
              !pasta::mergeable_state<int> && !pasta::mergeable_state<int[3]>);

static_assert(pasta::field_count_v<empty> == 0 && pasta::field_count_v<one> == 1 &&
              pasta::field_count_v<site_state> == 2 && pasta::field_count_v<nested> == 2 &&
              pasta::field_count_v<arrays> == 4 && pasta::field_count_v<sixteen> == 16);

static_assert(pasta::check_state<empty>() && pasta::check_state<arrays>() && pasta::check_state<count>());

// At compile time as well: the handler's path must not need a run-time library.
static_assert([] {
  sixteen a{}, b{};
  a.a.add(1);
  b.a.add(2);
  b.p.add(3);
  pasta::merge_state(a, b);
  return a.a.value() == 3 && a.b.value() == 0 && a.p.value() == 3;
}());

}  // namespace

TEST_CASE("merge_state: merges each field into its own") {
  sixteen a{}, b{};
  std::uint64_t n = 0;
  pasta::for_each_field(a, [&](count& field) { field.add(++n); });
  pasta::for_each_field(b, [&](count& field) { field.add(100 * n--); });
  pasta::merge_state(a, b);
  std::vector<std::uint64_t> got;
  pasta::for_each_field(std::as_const(a), [&](count const& field) { got.push_back(field.value()); });
  REQUIRE(got.size() == 16);
  for (std::uint64_t i = 0; i < 16; ++i) CHECK(got[i] == i + 1 + 100 * (16 - i));
}

TEST_CASE("merge_state: goes into nested structs and arrays of both kinds") {
  nested a{}, b{};
  b.inner.sectors.add(4);
  b.highest.observe(-1.5F);
  pasta::merge_state(a, b);
  CHECK(a.inner.requests.value() == 0);
  CHECK(a.inner.sectors.value() == 4);
  CHECK(a.highest.value() == -1.5F);

  arrays c{}, d{};
  for (int i = 0; i < 3; ++i) d.plain[i].add(static_cast<std::uint64_t>(i + 1));
  d.standard[0].add(10);
  d.standard[1].add(20);
  d.grid[1][0].requests.add(30);
  c.grid[1][0].requests.add(5);
  pasta::merge_state(c, d);
  CHECK(c.plain[0].value() == 1);
  CHECK(c.plain[2].value() == 3);
  CHECK(c.standard[0].value() == 10);
  CHECK(c.standard[1].value() == 20);
  CHECK(c.grid[1][0].requests.value() == 35);
  CHECK(c.grid[0][1].requests.value() == 0);
}

TEST_CASE("merge_state: an empty struct and a single mergeable are state") {
  empty a, b;
  pasta::merge_state(a, b);
  count c, d;
  c.add(1);
  d.add(2);
  pasta::merge_state(c, d);
  CHECK(c.value() == 3);
}

TEST_CASE("merge_state: a type of the user's own merges by its member") {
  struct state {
    merges_by_value flags;
    count n;
  };
  static_assert(pasta::check_state<state>());
  state a{}, b{};
  a.flags.bits = 1;
  b.flags.bits = 4;
  pasta::merge_state(a, b);
  CHECK(a.flags.bits == 5);
}

TEST_CASE("merge_state: zeroed memory is the neutral element of a whole state") {
  arrays zero;
  std::memset(static_cast<void*>(&zero), 0, sizeof zero);
  arrays value{};
  value.plain[1].add(3);
  value.grid[1][1].sectors.add(7);
  arrays sum = zero;
  pasta::merge_state(sum, value);
  pasta::merge_state(sum, zero);
  CHECK(std::memcmp(&sum, &value, sizeof sum) == 0);
}

TEST_CASE("for_each_field: visits fields in the order of declaration, and may change them") {
  nested state{};
  int order = 0;
  pasta::for_each_field(state, [&](auto& field) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field)>, site_state>) {
      CHECK(order++ == 0);
      field.requests.add(1);
    } else {
      CHECK(order++ == 1);
      field.observe(2.0F);
    }
  });
  CHECK(order == 2);
  CHECK(state.inner.requests.value() == 1);
  CHECK(state.highest.value() == 2.0F);
}
