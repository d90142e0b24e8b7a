// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <catch.hpp>
#include <csignal>
#include <cstdlib>
#include <new>
#include <pasta/config.hpp>
#include <stdexcept>

#include "marker.hpp"
#include "memory_file.hpp"
#include "rewrite.hpp"
#include "rewrite_apart.hpp"

using namespace pasta::ptxas;

namespace {

constexpr char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry f()\n{\n\tret;\n}\n";

rewrite_options const one_tool{{"access_count"}};

}  // namespace

TEST_CASE("a marker is found among the comments that a text begins with, and nowhere else") {
  std::vector<std::string> const tools{"a", "b"};
  std::string const marker = make_marker(tools);
  CHECK(marker == "// instrumented by PASTA " PASTA_VERSION ": a,b");
  CHECK(find_marker(marker) == marker);
  CHECK(find_marker("//\n// other\r\n\n \t// x\n" + marker + "\r\n.version 8.0") == marker);
  CHECK(find_marker(".version 8.0\n" + marker).empty());
  CHECK(find_marker("").empty());
  CHECK(find_marker("// nothing").empty());
}

TEST_CASE("an instrumented text has the marker, and comes back as it is") {
  std::string loads = ptx;
  loads.insert(loads.find("\tret"), "\t.reg .b32 %r;\n\t.reg .b64 %a;\n\tld.global.u32 %r, [%a];\n");
  rewritten const once = rewrite(loads, one_tool);
  REQUIRE(once.is_instrumented);
  CHECK(find_marker(once.text) == make_marker(one_tool.tools));
  rewritten const twice = rewrite(once.text, one_tool);
  CHECK(twice.is_instrumented);
  CHECK(twice.text == once.text);
}

TEST_CASE("a text without accesses comes back as it is, which is no fault") {
  rewritten const result = rewrite(ptx, one_tool);
  CHECK_FALSE(result.is_instrumented);
  CHECK(result.reason.empty());
  CHECK(result.text == ptx);
}

TEST_CASE("a function that cannot be instrumented is told, also where it is the only one") {
  std::string jumps = ptx;
  jumps.insert(jumps.find("\tret"), "\tbra $nowhere;\n");
  rewritten const result = rewrite(jumps, one_tool);
  CHECK_FALSE(result.is_instrumented);
  CHECK(result.text == jumps);
  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(result.warnings[0], pasta_test::contains_text("$nowhere"));
}

TEST_CASE("a text with another marker is not instrumented") {
  rewritten const result = rewrite("// instrumented by PASTA 0.0.1: access_count\n" + std::string(ptx), one_tool);
  CHECK_FALSE(result.is_instrumented);
  CHECK_THAT(result.reason, pasta_test::contains_text("0.0.1"));
}

TEST_CASE("what is cut short, or of an unknown version, is not instrumented and says why") {
  rewritten const cut = rewrite(std::string(ptx).substr(0, sizeof ptx - 4), one_tool);
  CHECK_FALSE(cut.is_instrumented);
  CHECK_THAT(cut.reason, pasta_test::contains_text("line 5"));
  std::string later = ptx;
  later.replace(later.find("8.0"), 3, "10.0");
  CHECK_THAT(rewrite(later, one_tool).reason, pasta_test::contains_text("10.0"));
  CHECK(rewrite(later, one_tool).text == later);
  CHECK_FALSE(rewrite("", one_tool).is_instrumented);
}

TEST_CASE("work apart gives its text, reason and warnings") {
  memory_file text;
  rewritten const result = rewrite_apart([] { return rewritten{"text", {"one", "two\nlines"}, true, ""}; }, text);
  CHECK(result.is_instrumented);
  CHECK(text.read() == "text");
  CHECK(result.reason.empty());
  CHECK(result.warnings == std::vector<std::string>{"one", "two\\nlines"});
}

TEST_CASE("work apart may crash, run out of memory or throw") {
  memory_file text;
  auto const reason_of = [&](std::function<rewritten()> const& work) {
    rewritten const result = rewrite_apart(work, text);
    CHECK_FALSE(result.is_instrumented);
    return result.reason;
  };
  CHECK_THAT(reason_of([]() -> rewritten {
               ::raise(SIGKILL);
               return {};
             }),
             pasta_test::contains_text("SIGKILL"));
  CHECK_THAT(reason_of([]() -> rewritten { ::_Exit(3); }), pasta_test::contains_text("status 3"));
  CHECK(reason_of([]() -> rewritten { throw std::bad_alloc(); }) == "out of memory");
  CHECK(reason_of([]() -> rewritten { throw std::runtime_error("line 7: why"); }) == "line 7: why");
  CHECK(reason_of([]() -> rewritten { throw 7; }).find("status 1") != std::string::npos);
}

TEST_CASE("work apart with a long text and many warnings is whole") {
  memory_file text;
  rewritten const result = rewrite_apart(
      [] {
        return rewritten{std::string(10'000'000, 'x'), std::vector<std::string>(5000, "a warning"), true, ""};
      },
      text);
  CHECK(text.read().size() == 10'000'000);
  CHECK(result.warnings.size() == 5000);
}
