// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <catch.hpp>

#include "line_map.hpp"
#include "rewrite.hpp"

using namespace pasta::ptxas;

namespace {

struct lines {
  std::vector<std::string> all;
  explicit lines(std::string const& text) {
    for (std::size_t begin = 0; begin < text.size();) {
      std::size_t const end = std::min(text.find('\n', begin), text.size());
      all.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
};

}  // namespace

TEST_CASE("lines of an instrumented text are found in the original, and what was put in before the next") {
  std::string const original = ".version 6.0\n\n{\n\tld a;\n}\n";
  std::string const changed = "// marker\n.version 6.2\n.global x;\n\n{\n\t.reg y;\n\t\n\tadd y;\n\tld a;\n}\n";
  auto const map = line_map::make(original, changed);
  REQUIRE(map);
  std::vector<std::pair<std::uint32_t, bool>> found;
  for (std::uint32_t line = 1; line <= 10; ++line) found.emplace_back(map->find(line).line, map->find(line).is_put_in);
  CHECK(found == std::vector<std::pair<std::uint32_t, bool>>{{1, true},
                                                             {1, false},
                                                             {3, true},
                                                             {3, false},
                                                             {3, false},
                                                             {4, true},
                                                             {4, false},
                                                             {4, true},
                                                             {4, false},
                                                             {5, false}});
}

TEST_CASE("a line that is cut between its statements is found in all its parts") {
  auto const map = line_map::make("ld a; st b;\nret;", "\ncode\nld a;\ncode\n st b;\nret;");
  REQUIRE(map);
  CHECK(map->find(3).line == 1);
  CHECK_FALSE(map->find(3).is_put_in);
  CHECK(map->find(4).is_put_in);
  CHECK_FALSE(map->find(5).is_put_in);
  CHECK(map->find(6).line == 2);
}

TEST_CASE("texts that do not belong together have no map") {
  CHECK_FALSE(line_map::make("a\nb\n", "a\nc\n"));
  CHECK_FALSE(line_map::make("a\nb\n", "b\na\n"));
  CHECK_FALSE(line_map::make("a", ""));
  CHECK(line_map::make("", "a"));
  CHECK(line_map::make("", "a")->find(7).line == 1);
}

TEST_CASE("every line of what the rewriting makes is mapped") {
  std::string const source =
      ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry f(.param .u64 p)\n{\n\t.reg .pred %p;\n"
      "\t.reg .b32 %r;\n\t.reg .b64 %a;\n\tld.param.u64 %a, [p];\n$loop:\n\tld.global.u32 %r, [%a]; st.global.u32 "
      "[%a], %r;\n\tsetp.eq.u32 %p, %r, 0;\n\t@%p bra $loop;\n\t@%p ret;\n\tst.global.u32 [%a], 1;\n\tret;\n}\n";
  rewritten const result = rewrite(source, {{"access_count"}});
  REQUIRE(result.is_instrumented);
  auto const map = line_map::make(source, result.text);
  REQUIRE(map);
  lines const before(source), after(result.text);
  std::uint32_t last = 1;
  for (std::uint32_t line = 1; line <= after.all.size(); ++line) {
    auto const place = map->find(line);
    CHECK(place.line >= last);
    last = place.line;
    bool const is_ours = after.all[line - 1].find("pasta") != std::string::npos;
    if (is_ours) CHECK(place.is_put_in);
    if (!place.is_put_in && !after.all[line - 1].empty() && line != 2) {
      std::string const& there = after.all[line - 1];
      std::string const part = there.substr(
          there.find_first_not_of(" \t") == std::string::npos ? there.size() : there.find_first_not_of(" \t"));
      CHECK_THAT(before.all[place.line - 1], pasta_test::contains_text(part));
    }
  }
}
