// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <pasta/instrument/ptx/module.hpp>
#include <pasta/instrument/ptx/source_places.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "lossless.hpp"

namespace ptx = pasta::ptx;

namespace {

std::string const head = ".version 8.0\n.target sm_90\n.address_size 64\n";
// _Z1gv and _Z1hv, as nvcc writes them.
std::string const names =
    "\t.file\t1 \"/src/a.cu\"\n\t.file\t2 \"/src/b.cuh\", 1700000000, 512\n\t.section\t.debug_str\n\t{\n"
    "$L__info_string0:\n.b8 95,90,49,103,118,0\n$L__info_string1:\n.b8 95,90,49\n.b8 104,118,0\n\n\t}\n";

/// For each instruction: `ret a.cu:3:1 < _Z1gv a.cu:9:2`, the innermost place first.
std::vector<std::string> places_of(std::string const& source) {
  CHECK(pasta_test::find_fault(source) == "");
  auto const m = ptx::read(source);
  ptx::source_places const places(m);
  std::vector<std::string> result;
  for (std::size_t i = 0; i < m.statements.size(); ++i) {
    if (m.statements[i].kind != ptx::statement_kind::instruction) continue;
    std::string text;
    for (auto const& p : places.chain(i))
      text += fmt::format("{}{}:{}:{}{}", text.empty() ? "" : " < ", p.file, p.line, p.column,
                          p.function.empty() ? "" : " " + std::string(p.function));
    result.push_back(text);
  }
  return result;
}

std::string kernel(std::string const& body) { return head + ".visible .entry k()\n{\n" + body + "}\n" + names; }

using list = std::vector<std::string>;

}  // namespace

TEST_CASE("source_places: a place is in force up to the next, and none before the first") {
  CHECK(places_of(kernel("bar.sync 0;\n.loc 1 7 3\nbar.sync 0;\nL: ret;\n.loc 2 9 1\nret;\n")) ==
        list{"", "/src/a.cu:7:3", "/src/a.cu:7:3", "/src/b.cuh:9:1"});
}

TEST_CASE("source_places: a place does not reach into the next function") {
  auto const source = kernel(".loc 1 7 3\nret;\n") + ".visible .entry j() { ret; }";
  CHECK(places_of(source) == list{"/src/a.cu:7:3", ""});
}

TEST_CASE("source_places: two levels of inlined functions") {
  // What nvcc -lineinfo makes of k calling g at lines 11 and 12, which calls h at lines 6 and 7.
  CHECK(places_of(kernel("\t.loc\t1 11 3\n"
                         "\t.loc\t1 6 3, function_name $L__info_string0, inlined_at 1 11 3\n"
                         "\tadd.s32 \t%r2, %r1, 1;\n"
                         "\t.loc\t1 6 3, function_name $L__info_string0, inlined_at 1 11 3\n"
                         "\t.loc\t1 4 3, function_name $L__info_string1, inlined_at 1 6 3\n"
                         "\tld.global.u32 \t%r3, [%rd4+4];\n"
                         "\t.loc\t1 7 3, function_name $L__info_string0, inlined_at 1 11 3\n"
                         "\t.loc\t1 4 3, function_name $L__info_string1, inlined_at 1 7 3\n"
                         "\tld.global.u32 \t%r6, [%rd4+8];\n"
                         "\t.loc\t1 11 3\n"
                         "\tst.global.u32 \t[%rd4], %r7;\n"
                         "\t.loc\t1 12 3\n"
                         "\t.loc\t1 6 3, function_name $L__info_string0, inlined_at 1 12 3\n"
                         "\t.loc\t1 4 3, function_name $L__info_string1, inlined_at 1 6 3\n"
                         "\tld.global.u32 \t%r9, [%rd4+40];\n")) ==
        list{"/src/a.cu:6:3 _Z1gv < /src/a.cu:11:3", "/src/a.cu:4:3 _Z1hv < /src/a.cu:6:3 _Z1gv < /src/a.cu:11:3",
             "/src/a.cu:4:3 _Z1hv < /src/a.cu:7:3 _Z1gv < /src/a.cu:11:3", "/src/a.cu:11:3",
             "/src/a.cu:4:3 _Z1hv < /src/a.cu:6:3 _Z1gv < /src/a.cu:12:3"});
}

TEST_CASE("source_places: functions inlined into each other on one line") {
  // k calls g at line 5, g and h stand on line 1 and g calls h twice: the second `g` is not inlined into `h`.
  std::string const g = ".loc 1 1 9, function_name $L__info_string0, inlined_at 1 5 3\n";
  std::string const h = ".loc 1 1 9, function_name $L__info_string1, inlined_at 1 1 9\n";
  list const expected = {"/src/a.cu:1:9 _Z1gv < /src/a.cu:5:3",
                         "/src/a.cu:1:9 _Z1hv < /src/a.cu:1:9 _Z1gv < /src/a.cu:5:3"};
  CHECK(places_of(kernel(".loc 1 5 3\n" + g + "ret;\n" + g + h + "ret;\n" + g + "ret;\n" + h + "ret;\n" + h +
                         "ret;\n")) == list{expected[0], expected[1], expected[0], expected[1], expected[1]});
}

TEST_CASE("source_places: a caller that no directive named is a place of its own") {
  CHECK(places_of(kernel(".loc 1 4 3, function_name $L__info_string1, inlined_at 1 6 3\nret;\n")) ==
        list{"/src/a.cu:4:3 _Z1hv < /src/a.cu:6:3"});
}

TEST_CASE("source_places: names behind a label and an offset") {
  auto const name_at = [](std::string const& label) {
    return places_of(kernel(".loc 1 6 3\n.loc 1 4 3, function_name " + label + ", inlined_at 1 6 3\nret;\n"))[0];
  };
  CHECK(name_at("$L__info_string0+6") == "/src/a.cu:4:3 _Z1hv < /src/a.cu:6:3");
  CHECK(name_at(".debug_str+7") == "/src/a.cu:4:3 Z1hv < /src/a.cu:6:3");
  CHECK(name_at("$L__info_string1+5") == "/src/a.cu:4:3 < /src/a.cu:6:3");
  CHECK(name_at("$L__info_string1+99999999999") == "/src/a.cu:4:3 < /src/a.cu:6:3");
  CHECK(name_at("nowhere") == "/src/a.cu:4:3 < /src/a.cu:6:3");
}

TEST_CASE("source_places: the same place has one number, and callers come first") {
  std::string body;
  for (int i = 0; i < 100; ++i)
    body += ".loc 1 6 3\nret;\n.loc 1 4 3, function_name $L__info_string1, inlined_at 1 6 3\nret;\n";
  std::string const source = kernel(body);
  auto const m = ptx::read(source);
  ptx::source_places const places(m);
  REQUIRE(places.size() == 2);
  CHECK(places[1].caller == 0);
  CHECK(places[0].caller == ptx::no_place);
  CHECK(places.number_of(0) == ptx::no_place);
  CHECK(places.number_of(m.functions[0].end - 1) == 1);
}

TEST_CASE("source_places: no chain is longer than 256") {
  std::string body;
  for (int i = 2; i < 1000; ++i)
    body += fmt::format(".loc 1 {} 1, function_name $L__info_string1, inlined_at 1 {} 1\nret;\n", i, i - 1);
  std::string const source = kernel(body);
  auto const m = ptx::read(source);
  ptx::source_places const places(m);
  std::size_t longest = 0;
  for (std::size_t i = 0; i < m.statements.size(); ++i) longest = std::max(longest, places.chain(i).size());
  CHECK(longest == 256);
}

TEST_CASE("source_places: a file that is not declared has no name, and a copy keeps the names") {
  std::string const source =
      kernel(".loc 7 1 1\nret;\n.loc 1 2 1, function_name $L__info_string0, inlined_at 7 1 1\nret;\n");
  auto const m = ptx::read(source);
  ptx::source_places copy = [&] {
    ptx::source_places const places(m);
    return places;
  }();
  auto const chain = copy.chain(m.functions[0].end - 1);
  REQUIRE(chain.size() == 2);
  CHECK(chain[0].function == "_Z1gv");
  CHECK(chain[1].file.empty());
  CHECK(chain[1].line == 1);
}
