// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Modules before and after, walked with the same decisions: the counters hold what the sites did.
#include <fmt/format.h>

#include <catch.hpp>
#include <cstdint>
#include <map>
#include <pasta/instrument/ptx/counting_code.hpp>
#include <pasta/instrument/ptx/fold_code.hpp>
#include <pasta/instrument/ptx/instrument.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "random_module.hpp"
#include "walk.hpp"

namespace {

namespace ptx = pasta::ptx;
using pasta_test::walk_end;
using pasta_test::walk_place;
using pasta_test::walk_result;
using pasta_test::walker;

/// What is known of all walks, so that a test sees that it tests something.
struct tally {
  std::size_t modules = 0, compared = 0, executions = 0, too_long = 0, trapped = 0;
};

/// What is wrong with the counters of a module's text in some walks, or nothing.
std::string find_difference(std::string const& source, std::uint32_t walks, tally& sum) {
  ptx::module const before = ptx::read(source);
  ptx::instrumented const result = ptx::count_accesses(before, std::vector<std::string>{"one"});
  std::vector<std::uint32_t> counter_of;  // of each site of the module
  for (ptx::table_function const& function : result.table.functions) {
    if (!function.why.empty()) return "a function is not instrumented: " + function.why;
    for (ptx::table_site const& site : function.sites) counter_of.push_back(site.counter);
  }
  ptx::module const after = ptx::read(result.text);
  walker original(before), counting(after);
  if (original.sites() != counter_of.size()) return "the table lacks a site";
  if (counting.sites() != counter_of.size()) return "the text lacks a site";
  ++sum.modules;

  for (std::uint32_t seed = 0; seed < walks; ++seed) {
    walk_place where;
    where.lanes = seed % 3 == 0 ? pasta_test::warp_lanes : 1;
    where.first_lane = where.lanes == 1 ? seed % 32 : 0;
    where.multiprocessor = seed * 7;
    if (seed % 6 == 5) where.counters = where.shard_mask = where.shard_bytes = 0;
    walk_result const expected = original.walk("k", seed, where);
    walk_result const found = counting.walk("k", seed, where);
    if (found.path != expected.path || found.end != expected.end || found.executions != expected.executions)
      return fmt::format("walk {}: control goes another way", seed);
    if (expected.end == walk_end::too_long) ++sum.too_long;
    if (expected.end == walk_end::trapped) ++sum.trapped;
    if (expected.end != walk_end::returned) continue;
    ++sum.compared;

    std::map<std::uint64_t, std::uint64_t> memory;
    std::uint64_t const shard =
        where.counters + std::uint64_t{where.multiprocessor & where.shard_mask} * where.shard_bytes;
    for (std::size_t i = 0; i < counter_of.size(); ++i) {
      sum.executions += expected.executions[i];
      if (where.counters == 0 || expected.executions[i] == 0) continue;
      std::uint64_t const count = expected.executions[i] * where.lanes;
      std::uint64_t& entry = memory[shard + counter_of[i] * 8];
      if (entry != 0 && entry != count) return fmt::format("walk {}: site {} shares a counter, not its count", seed, i);
      entry = count;
    }
    if (memory == found.memory) continue;
    std::string text = fmt::format("walk {}: the counters are not those of the sites:", seed);
    for (std::uint32_t i = 0; i < result.table.counters; ++i) {
      auto const count = [&](auto const& all) {
        auto const entry = all.find(shard + i * 8);
        return entry == all.end() ? 0 : entry->second;
      };
      text += fmt::format(" {}:{}/{}", i, count(found.memory), count(memory));
    }
    return text;
  }
  return {};
}

TEST_CASE("Counters hold how often each site was executed, in random modules") {
  tally sum;
  for (std::uint32_t seed = 0; seed < 2500; ++seed) {
    std::string const source = pasta_test::random_module(seed, seed % 2 == 0 ? "sm_90" : "sm_75", seed % 4).text();
    std::string difference;
    try {
      difference = find_difference(source, 6, sum);
    } catch (pasta_test::walk_fault const& fault) {
      difference = fault.what();
    }
    if (difference.empty()) continue;
    CAPTURE(seed, source);
    FAIL(difference);
  }
  CAPTURE(sum.compared, sum.executions, sum.too_long, sum.trapped);
  CHECK(sum.modules == 2500);
  CHECK(sum.compared > 7000);
  CHECK(sum.executions > 30000);
}

/// What a fold adds to one counter where each lane counted its number times `factor`.
std::map<std::uint64_t, std::uint64_t> fold_lanes(ptx::warp_sum how, std::uint32_t factor, walk_place const& where) {
  ptx::register_counter const counters[] = {{0, 3}};
  std::string const source =
      ".version 7.0\n.target sm_90\n.address_size 64\n.entry k() {" + ptx::declare({1, 0}) +
      fmt::format("mov.u32 %pasta_low, %laneid; mad.wide.u32 %pasta_count0, %pasta_low, {}, %pasta_count0;\n", factor) +
      ptx::shard_address("pasta_state_x") + ptx::fold(how, counters, {}, 0) + ptx::fold(how, counters, {}, 1) +
      "ret; }";
  return walker(ptx::read(source)).walk("k", 0, where).memory;
}

TEST_CASE("A warp's fold adds what its lanes counted, however large, and once") {
  for (ptx::warp_sum const how : {ptx::warp_sum::redux, ptx::warp_sum::shuffle}) {
    // 0 + 1 + ... + 31 = 496. From the third on some lanes, then all but lane 0, do not fit in 27 bits.
    for (std::uint32_t const factor : {0U, 1U, 4329604U, 4329605U, 134217727U, 134217728U, 4294967295U}) {
      CAPTURE(factor);
      walk_place where;
      std::uint64_t const address = where.counters + std::uint64_t{2} * where.shard_bytes + 3 * 8;
      std::map<std::uint64_t, std::uint64_t> expected;
      if (factor > 0) expected[address] = std::uint64_t{496} * factor;
      CHECK((fold_lanes(how, factor, where) == expected));

      where.lanes = 5;
      where.first_lane = 9;  // 9 + 10 + 11 + 12 + 13 = 55
      if (factor > 0) expected[address] = std::uint64_t{55} * factor;
      CHECK((fold_lanes(how, factor, where) == expected));

      where.counters = where.shard_mask = where.shard_bytes = 0;
      CHECK(fold_lanes(how, factor, where).empty());
    }
  }
}

TEST_CASE("A fold adds the bits of few counters, and once") {
  for (std::uint32_t const counters : {4U, 5U, 6U, 10U, 13U, 15U}) {
    CAPTURE(counters);
    std::string const source = ".version 7.0\n.target sm_90\n.address_size 64\n.entry k() {" + ptx::declare({0, 1}) +
                               fmt::format(
                                   "mov.u32 %pasta_low, %laneid; add.u32 %pasta_low, %pasta_low, 77777; "
                                   "mul.lo.u32 %pasta_once0, %pasta_low, {}; and.b32 %pasta_once0, %pasta_once0, {};\n",
                                   2654435761U, (1U << counters) - 1) +
                               ptx::shard_address("pasta_state_x") +
                               ptx::fold(ptx::warp_sum::redux, {}, {1, counters, 7}, 0) +
                               ptx::fold(ptx::warp_sum::redux, {}, {1, counters, 7}, 1) + "ret; }";
    walk_place const where;
    std::map<std::uint64_t, std::uint64_t> expected;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      for (std::uint32_t bit = 0; bit < counters; ++bit) {
        if (((lane + 77777) * 2654435761U >> bit & 1) != 0)
          ++expected[where.counters + 2ULL * where.shard_bytes + (7 + bit) * 8];
      }
    }
    CHECK(expected.size() == counters);
    CHECK((walker(ptx::read(source)).walk("k", 0, where).memory == expected));
  }
}

TEST_CASE("A fold adds the bits of each lane to their counters, and once") {
  // Bits of lanes that have nothing in common, in two registers: the upper word of a product.
  constexpr std::uint32_t factors[] = {2654435761U, 0x9e3779b1U * 7};
  std::string source = ".version 7.0\n.target sm_90\n.address_size 64\n.entry k() {" + ptx::declare({0, 2}) +
                       "mov.u32 %pasta_low, %laneid; add.u32 %pasta_low, %pasta_low, 77777;\n";
  for (std::size_t i = 0; i < 2; ++i) {
    source += fmt::format(
        "mad.wide.u32 %pasta_word, %pasta_low, {0}, 0; mov.b64 {{%pasta_high, %pasta_once{1}}}, %pasta_word;\n"
        "xor.b32 %pasta_once{1}, %pasta_once{1}, %pasta_high;\n",
        factors[i], i);
  }
  ptx::once_counters const once{2, 64, 5};
  source += ptx::shard_address("pasta_state_x") + ptx::fold(ptx::warp_sum::redux, {}, once, 0) +
            ptx::fold(ptx::warp_sum::redux, {}, once, 1) + "ret; }";
  auto const module = ptx::read(source);
  for (std::size_t const lanes : {32U, 1U}) {
    walk_place where;
    where.lanes = lanes;
    where.first_lane = lanes == 1 ? 19 : 0;
    std::map<std::uint64_t, std::uint64_t> expected;
    for (std::size_t lane = where.first_lane; lane < where.first_lane + lanes; ++lane) {
      for (std::size_t i = 0; i < 2; ++i) {
        std::uint64_t const product = (lane + 77777) * factors[i];
        std::uint64_t const bits = (product >> 32 ^ product) & 0xffffffff;
        for (std::size_t bit = 0; bit < 32; ++bit) {
          std::uint64_t const counter = 5 + i * 32 + bit;
          if ((bits >> bit & 1) != 0) ++expected[where.counters + 2ULL * where.shard_bytes + counter * 8];
        }
      }
    }
    CHECK(expected.size() > 20);
    CHECK((walker(module).walk("k", 0, where).memory == expected));
  }
}

}  // namespace
