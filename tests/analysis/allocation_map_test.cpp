// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/analysis/allocation_map.hpp>

#include "catch.hpp"

namespace {

std::optional<std::uint64_t> number_at(pasta::allocation_map const& map, std::uint64_t address) {
  pasta::allocation_record const* const found = map.find(address);
  return found == nullptr ? std::nullopt : std::optional(found->number);
}

}  // namespace

TEST_CASE("an allocation has its first and its last byte and none beside") {
  pasta::allocation_map map;
  CHECK(map.find(0) == nullptr);
  map.add(1000, 100);
  map.add(1100, 50);
  map.add(2000, 1);
  CHECK(number_at(map, 999) == std::nullopt);
  CHECK(number_at(map, 1000) == 0);
  CHECK(number_at(map, 1099) == 0);
  CHECK(number_at(map, 1100) == 1);
  CHECK(number_at(map, 1149) == 1);
  CHECK(number_at(map, 1150) == std::nullopt);
  CHECK(number_at(map, 2000) == 2);
  CHECK(number_at(map, 2001) == std::nullopt);
}

TEST_CASE("an address that is allocated again belongs to the new allocation") {
  pasta::allocation_map map;
  map.add(4096, 256, 3, 17);
  CHECK(map.remove(4096) == pasta::allocation_record{0, 4096, 256, 3, 17});
  CHECK(map.find(4096) == nullptr);
  CHECK(map.remove(4096) == std::nullopt);
  CHECK(map.add(4096, 64).ended.empty());
  CHECK(number_at(map, 4096) == 1);
  CHECK(number_at(map, 4096 + 64) == std::nullopt);
}

TEST_CASE("a release is of an allocation's first byte") {
  pasta::allocation_map map;
  map.add(4096, 256);
  CHECK(map.remove(4100) == std::nullopt);
  CHECK(number_at(map, 4100) == 0);
}

TEST_CASE("allocations whose memory is allocated again have ended, whether their release was seen or not") {
  pasta::allocation_map map;
  map.add(1000, 100);
  map.add(1100, 100);
  map.add(1200, 100);
  map.add(1300, 100);
  auto const added = map.add(1150, 150);
  REQUIRE(added.ended.size() == 2);
  CHECK(added.ended[0].number == 1);
  CHECK(added.ended[1].number == 2);
  CHECK(number_at(map, 1099) == 0);
  CHECK(number_at(map, 1100) == std::nullopt);
  CHECK(number_at(map, 1150) == 4);
  CHECK(number_at(map, 1299) == 4);
  CHECK(number_at(map, 1300) == 3);
  CHECK(map.size() == 3);
}

TEST_CASE("an allocation at the end of the address space goes to its end") {
  pasta::allocation_map map;
  std::uint64_t const last = ~std::uint64_t{0};
  CHECK(map.add(last - 9, 100).record.size_bytes == 10);
  CHECK(number_at(map, last) == 0);
  CHECK(number_at(map, 0) == std::nullopt);
}

TEST_CASE("live allocations come by address") {
  pasta::allocation_map map;
  map.add(3000, 1);
  map.add(1000, 1);
  map.add(2000, 1);
  std::vector<std::uint64_t> numbers;
  map.for_each([&](pasta::allocation_record const& record) { numbers.push_back(record.number); });
  CHECK(numbers == std::vector<std::uint64_t>{1, 2, 0});
}
