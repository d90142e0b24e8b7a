// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch.hpp>
#include <pasta/instrument/ptx/blocks.hpp>
#include <pasta/instrument/ptx/counters.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <string>

namespace {

namespace ptx = pasta::ptx;

/// The counter of each `ld` and `st` of a body, in order: `0 0 1`.
std::string counters_of(std::string const& body) {
  std::string const source = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {\n" + body + "\n}";
  ptx::module const m = ptx::read(source);
  ptx::counter_plan const plan = ptx::plan_counters(
      m, m.functions.at(0), [](ptx::instruction const& what) { return what.name == "ld" || what.name == "st"; });
  std::string text;
  std::size_t known = 0;
  for (ptx::counted_site const& site : plan.sites) {
    REQUIRE(site.counter < plan.counters.size());
    ptx::counter const& counter = plan.counters[site.counter];
    ptx::instruction const what = ptx::read_instruction(m.statements[site.statement].text);
    CHECK((counter.guard == what.guard));
    CHECK(counter.statement <= site.statement);
    if (site.counter == known) {  // a counter's first site is where it is added to
      CHECK(counter.statement == site.statement);
      ++known;
    }
    text += (text.empty() ? "" : " ") + std::to_string(site.counter);
  }
  CHECK(known == plan.counters.size());
  auto const in_order = [](auto const& a, auto const& b) { return a.statement < b.statement; };
  CHECK(std::is_sorted(plan.counters.begin(), plan.counters.end(), in_order));
  CHECK(std::is_sorted(plan.sites.begin(), plan.sites.end(), in_order));
  return text;
}

TEST_CASE("Sites of one block share a counter, those of others do not") {
  CHECK(counters_of("ret;") == "");
  CHECK(counters_of("ld; add; st; ld;") == "0 0 0");
  CHECK(counters_of("ld; L: ld; st; @p bra L; st;") == "0 1 1 2");
  CHECK(counters_of("ld; @p exit; st;") == "0 1");
  CHECK(counters_of("ld; call f; st;") == "0 1");
}

TEST_CASE("Each guard has a counter of its own") {
  CHECK(counters_of("ld; @%p1 ld; @!%p1 ld; @%p2 ld;") == "0 1 2 3");
  CHECK(counters_of("@%p1 ld; ld; @!%p1 ld; @%p1 st; st; @!%p1 st;") == "0 1 2 0 1 2");
  CHECK(counters_of("@%p1 ld; @ %p1 ld; @! %p1 ld; @!%p1 ld;") == "0 0 1 1");
  CHECK(counters_of("@%p1 ld; L: @%p1 ld;") == "0 1");
}

TEST_CASE("A guard that is written in between is another one") {
  CHECK(counters_of("@%p1 ld; setp.ne.s32 %p1, %r1, 0; @%p1 ld;") == "0 1");
  CHECK(counters_of("@%p1 ld; setp.ne.s32 %p2, %r1, 0; @%p1 ld;") == "0 0");
  CHECK(counters_of("@%p1 ld; setp.ne.s32 %p10, %r1, 0; @%p1 ld;") == "0 0");
  CHECK(counters_of("@%p1 ld; @!%p1 ld; setp.ne.s32 %p2|%p1, %r1, 0; @%p1 ld; @!%p1 ld;") == "0 1 2 3");
  CHECK(counters_of("@%p1 ld; setp.ne.s32 %p1|%p2, %r1, 0; @%p1 ld;") == "0 1");
  CHECK(counters_of("@%p1 ld; @%q setp.ne.s32 %p1, %r1, 0; @%p1 ld;") == "0 1");
  CHECK(counters_of("@%p1 ld; foo.bar {%r1, %p1}, [%rd1]; @%p1 ld;") == "0 1");
  CHECK(counters_of("@%p1 ld; elect.sync _|%p1, -1; @%p1 ld;") == "0 1");
  CHECK(counters_of("@%p1 ld; { setp.ne.s32 %p1, %r1, 0; } @%p1 ld;") == "0 1");
}

TEST_CASE("A site that writes its own guard is counted before, and the next site anew") {
  CHECK(counters_of("@%p1 ld.foo %r1|%p1, [%rd1]; @%p1 ld;") == "0 1");
}

TEST_CASE("Another guard that is a part of the first one's name is told apart") {
  CHECK(counters_of("@p ld; mov.pred p_1, q; mov.pred p1, q; @p ld;") == "0 0");
}

TEST_CASE("A guard's use as a guard does not write it") { CHECK(counters_of("@%p1 ld; @%p1 add; @%p1 ld;") == "0 0"); }

TEST_CASE("Guards of one name in different scopes are different") {
  CHECK(counters_of("@p ld; { .reg .pred p; @p ld; @p st; } @p ld;") == "0 1 1 0");
  CHECK(counters_of("{ .reg .pred p; @p ld; } { .reg .pred p; @p ld; }") == "0 1");
  // What is not guarded is the same in all of them.
  CHECK(counters_of("ld; { ld; { st; } } st;") == "0 0 0 0");
}

TEST_CASE("A counter has the loop depth of its block") {
  std::string const source =
      ".version 8.0\n.target sm_90\n.entry k() { ld; L: @p ld; M: st; @p bra M; ld; @p bra L; st; }";
  ptx::module const m = ptx::read(source);
  ptx::counter_plan const plan = ptx::plan_counters(
      m, m.functions.at(0), [](ptx::instruction const& what) { return what.name == "ld" || what.name == "st"; });
  std::vector<std::uint32_t> depths;
  for (ptx::counter const& each : plan.counters) depths.push_back(each.loop_depth);
  CHECK(depths == std::vector<std::uint32_t>{0, 1, 2, 1, 0});
}

TEST_CASE("A label that is missing stops the plan") { CHECK_THROWS_AS(counters_of("ld; bra L;"), ptx::unknown_label); }

}  // namespace
