// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What a traced array tells a probe of where in the array an access is.
#include <pasta/pasta.hpp>
#include <vector>

#include "catch.hpp"

namespace {

struct told {
  pasta::access_kind kind;
  void const* address;
  std::uint64_t size_bytes;
  pasta::array_position position;
};

/// Keeps what it is told.
struct recorder {
  static constexpr bool is_active = true;
  using handle = std::vector<told>*;
  static void access(handle mine, pasta::place const&, pasta::access_kind kind, pasta::memory_space,
                     void const* address, std::uint64_t size_bytes, pasta::array_position const& position = {}) {
    mine->push_back({kind, address, size_bytes, position});
  }
  template <class T>
  static std::remove_const_t<T> load(handle mine, pasta::place const& where, pasta::memory_space space, T* from,
                                     pasta::array_position const& position = {}) {
    access(mine, where, pasta::access_kind::load, space, from, sizeof(T), position);
    return *from;
  }
};
template <class T>
using array = pasta::traced<T, recorder>;

void check(told const& found, pasta::access_kind kind, void const* origin, int const* first, std::ptrdiff_t index) {
  CHECK(found.kind == kind);
  CHECK(found.address == first + index);
  CHECK(found.size_bytes == sizeof(int));
  CHECK(found.position.is_known);
  CHECK(found.position.origin == origin);
  CHECK(found.position.first == first);
  CHECK(found.position.index == index);
}

}  // namespace

TEST_CASE("a traced array says the index that the kernel wrote, and where the array begins") {
  int values[12] = {};
  std::vector<told> found;
  array<int> const a(values, pasta::memory_space::global, &found, values);
  using enum pasta::access_kind;

  int const read = a[3];
  a[4] = read;
  a[5] += 2;
  auto const moved = a + 2;
  moved[-1] = 1;
  array<int const> const view = a;
  static_cast<void>(view[7]);

  REQUIRE(found.size() == 6);
  check(found[0], load, values, values, 3);
  check(found[1], store, values, values, 4);
  check(found[2], load, values, values, 5);
  check(found[3], store, values, values, 5);
  check(found[4], store, values, values + 2, -1);
  check(found[5], load, values, values, 7);
}

TEST_CASE("an array that was not passed to the kernel has no origin") {
  int values[2][3] = {};
  std::vector<told> found;
  array<int[3]> const rows(values, pasta::memory_space::shared, &found);
  rows[1][2] = 5;
  REQUIRE(found.size() == 1);
  check(found[0], pasta::access_kind::store, nullptr, values[1], 2);
}

TEST_CASE("elements of another type are counted in their own size") {
  alignas(8) int values[4] = {};
  std::vector<told> found;
  array<int> const a(values, pasta::memory_space::global, &found, values);
  a.as<double>()[1] = 0.5;
  REQUIRE(found.size() == 1);
  CHECK(found[0].address == values + 2);
  CHECK(found[0].size_bytes == sizeof(double));
  CHECK(found[0].position.first == values);
  CHECK(found[0].position.index == 1);
}
