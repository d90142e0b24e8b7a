// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/instrument/ptx/edits.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "catch.hpp"

using pasta::ptx::edits;

TEST_CASE("edits: without changes the source comes out") {
  for (std::string_view const source : {"", "a", "\r\n\xff b"}) {
    edits e(source);
    CHECK(e.empty());
    CHECK(e.apply() == source);
  }
}

TEST_CASE("edits: text goes before, behind and in the place of a part") {
  std::string_view const source = "one two three";
  edits e(source);
  e.replace(source.substr(8), "3");
  e.insert_before(source.substr(4, 3), "<");
  e.insert_after(source.substr(4, 3), ">");
  CHECK_FALSE(e.empty());
  CHECK(e.apply() == "one <two> 3");
}

TEST_CASE("edits: insertions at one place keep the order of the calls") {
  std::string_view const source = "ab";
  edits e(source);
  e.insert_before(source.substr(1), "3");
  e.insert_before(source.substr(1), "4");
  e.insert_after(source.substr(0, 1), "1");
  e.insert_after(source.substr(0, 1), "2");
  CHECK(e.apply() == "a1234b");
}

TEST_CASE("edits: what is inserted beside a part stays when the part is replaced") {
  std::string_view const source = "a b c";
  edits e(source);
  e.replace(source.substr(2, 1), "B");
  e.insert_after(source.substr(2, 1), ")");
  e.insert_before(source.substr(2, 1), "(");
  CHECK(e.apply() == "a (B) c");
}

TEST_CASE("edits: a part is taken out by nothing in its place, neighbours too") {
  std::string_view const source = "abcd";
  edits e(source);
  e.replace(source.substr(2, 1), "");
  e.replace(source.substr(1, 1), "");
  CHECK(e.apply() == "ad");
}

TEST_CASE("edits: at a part without text everything stays in the order of the calls") {
  std::string_view const source = "ab";
  edits e(source);
  e.insert_before(source.substr(1, 0), "1");
  e.insert_after(source.substr(1, 0), "2");
  e.replace(source.substr(1, 0), "3");
  CHECK(e.apply() == "a123b");
}

TEST_CASE("edits: overlapping changes are refused") {
  std::string_view const source = "abcdef";
  auto const apply = [&](std::string_view first, std::string_view second) {
    edits e(source);
    e.replace(first, "x");
    e.replace(second, "y");
    return e.apply();
  };
  CHECK_THROWS_AS(apply(source.substr(0, 3), source.substr(2, 2)), std::logic_error);
  CHECK_THROWS_AS(apply(source.substr(2, 2), source.substr(0, 3)), std::logic_error);
  CHECK_THROWS_AS(apply(source.substr(2, 2), source.substr(2, 2)), std::logic_error);
  CHECK(apply(source.substr(2, 2), source.substr(4, 2)) == "abxy");

  edits e(source);
  e.replace(source.substr(1, 3), "x");
  e.insert_before(source.substr(2), "y");
  CHECK_THROWS_AS(e.apply(), std::logic_error);
}

TEST_CASE("edits: a part of another text is refused at once") {
  std::string const source = "abc", other = "abc";
  edits e(source);
  CHECK_THROWS_AS(e.insert_before(other, "x"), std::logic_error);
  CHECK_THROWS_AS(e.insert_after(std::string_view(source.data() + 1, 5), "x"), std::logic_error);
  CHECK_THROWS_AS(e.replace({}, "x"), std::logic_error);
  CHECK(e.apply() == source);
}

TEST_CASE("edits: many changes in any order are made in one pass") {
  std::string const source(100000, '.');
  std::string_view const view = source;
  edits e(view);
  for (std::size_t i = source.size(); i-- > 0;) e.insert_before(view.substr(i, 1), "x");
  std::string const result = e.apply();
  REQUIRE(result.size() == 200000);
  CHECK(result.substr(0, 4) == "x.x.");
  CHECK(result.substr(199996) == "x.x.");
}
