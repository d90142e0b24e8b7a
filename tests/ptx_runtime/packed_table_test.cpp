// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "packed_table.hpp"

#include <catch.hpp>
#include <cstdint>
#include <random>
#include <string>

using pasta::ptx::pack_table;
using pasta::ptx::packed_table_error;
using pasta::ptx::unpack_table;

namespace {

constexpr std::uint64_t most = std::uint64_t{1} << 28;

std::string long_text() {
  std::string text = "{";
  for (int i = 0; i < 20000; ++i) text += "\"place\":" + std::to_string(i) + ",";
  return text;
}

TEST_CASE("A packed table comes back, and is much smaller") {
  for (std::string const& text : {std::string("{}"), std::string("{\"a\": \"\xff\"}"), long_text(), std::string()}) {
    CHECK(unpack_table(pack_table(text), most) == text);
  }
  CHECK(pack_table(long_text()).size() * 4 < long_text().size());
}

TEST_CASE("A table that is text already stays as it is") {
  CHECK(unpack_table("{\"schema\": 1}", most) == "{\"schema\": 1}");
}

TEST_CASE("What is damaged is refused: shortened at any place, with any byte changed, of something else") {
  std::string const text = long_text().substr(0, 3000), packed = pack_table(text);
  for (std::size_t size = 0; size < packed.size(); ++size) {
    CHECK_THROWS_AS(unpack_table(packed.substr(0, size), most), packed_table_error);
  }
  for (std::size_t i = 0; i < packed.size(); ++i) {
    std::string changed = packed;
    changed[i] = static_cast<char>(changed[i] ^ 0x41);
    CHECK_THROWS_AS(unpack_table(changed, most), packed_table_error);
  }
  std::minstd_rand random(1);
  std::string noise(5000, '\0');
  for (char& each : noise) each = static_cast<char>(random() >> 8);
  noise[0] = 'x';
  CHECK_THROWS_AS(unpack_table(noise, most), packed_table_error);
}

TEST_CASE("What unpacks to more than is allowed is refused before it takes the memory") {
  std::string const packed = pack_table(std::string(10'000'000, ' '));
  CHECK(packed.size() < 20'000);
  CHECK_THROWS_AS(unpack_table(packed, 9'999'999), packed_table_error);
  CHECK(unpack_table(packed, 10'000'000).size() == 10'000'000);
}

}  // namespace
