// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The code before accesses.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_HOOK_CODE_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_HOOK_CODE_HPP

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <pasta/instrument/ptx/detail/access_function.hpp>
#include <pasta/instrument/ptx/detail/hook_kept.hpp>
#include <pasta/instrument/ptx/detail/hook_run.hpp>
#include <pasta/instrument/ptx/detail/lanes_here.hpp>
#include <string>
#include <utility>
#include <vector>

namespace pasta::ptx::detail {

// Counts a request of a whole warp whose lanes access element after element; others go on behind $pasta_apart.
inline std::string count_in_order(std::uint32_t size_bytes, std::uint32_t counts, std::uint32_t step, std::uint32_t row,
                                  std::string_view holds, std::size_t number) {
  return fmt::format(
      "\tactivemask.b32 \t%pasta_lanes;\n"
      "\tsetp.ne.u32 \t%pasta_adds, %pasta_lanes, -1;\n"
      "\t@%pasta_adds bra \t$pasta_apart{number};\n"
      "{first}{compare}{holds}"
      "\tvote.sync.all.pred \t%pasta_adds, %pasta_adds, 0xffffffff;\n"
      "\t@!%pasta_adds bra \t$pasta_apart{number};\n"
      "{place}"
      "\tsetp.eq.u32 \t%pasta_adds, %pasta_lane, {leader};\n"
      "\t@%pasta_adds red.global.add.u64 \t[%pasta_row+{counts}], 1;\n",
      fmt::arg("number", number), fmt::arg("compare", compare_with_lane_0), fmt::arg("holds", holds),
      fmt::arg("first", first_in_order("%pasta_address", size_bytes)),
      fmt::arg("place", place_in_order(size_bytes, step)), fmt::arg("leader", row % 32), fmt::arg("counts", counts));
}

// Who tests whether a request is in order: what stands before the access, or the function that it calls.
enum class in_order_test : std::uint8_t { here, in_function };

// One access, for one tool: its rows and its body.
inline std::string code_of_hook(hooked_access const& each, access const& which, hook const& tool, std::size_t index,
                                hook_places const& where, std::size_t& number, in_order_test test) {
  using enum pasta::detail::hook_abi_word;
  bool const is_kept = each.keeps();
  if (!where.calls.empty()) {
    return call_access_function(tool, where.calls[index], each,
                                test == in_order_test::in_function ? in_order_word(each) : 0, which.kind,
                                where.function, is_kept ? "%pasta_keeps" : "");
  }
  row_places const& place = where.rows[index];
  std::uint32_t const function = where.function;
  auto const row = [](std::uint32_t begin, std::uint64_t which_row, std::uint32_t bytes) {
    return begin + which_row * bytes;
  };
  std::string code = fmt::format(
      "\tadd.s64 \t%pasta_row, %pasta_at, {};\n"
      "\tadd.s64 \t%pasta_row_shared, %pasta_shared, {};\n"
      "\tadd.s64 \t%pasta_function, %pasta_at, {};\n"
      "\tadd.s64 \t%pasta_function_shared, %pasta_shared, {};\n",
      row(place.sites_shard, each.row, tool.word(abi_site_shard_bytes)),
      row(place.sites_shared, each.row, tool.word(abi_site_shared_bytes)),
      row(place.functions_shard, function, tool.word(abi_function_shard_bytes)),
      row(place.functions_shared, function, tool.word(abi_function_shared_bytes)));
  hook_operand const operands[] = {{"%pasta_address", false},
                                   each.size,
                                   {fmt::format("{}", static_cast<unsigned>(which.kind)), true},
                                   each.space,
                                   {fmt::format("{}", each.row), true},
                                   {"%pasta_row", false},
                                   {"%pasta_row_shared", false},
                                   {"%pasta_function", false},
                                   {"%pasta_function_shared", false},
                                   {is_kept ? "%pasta_keeps" : "0", !is_kept}};
  return code + tool.body(operands, number++);
}

inline std::size_t watching_tools(access const& which, std::span<hook const> hooks) {
  std::uint32_t const size = which.size == size_source::text ? which.size_bytes : 0;
  return static_cast<std::size_t>(std::count_if(
      hooks.begin(), hooks.end(), [&](hook const& each) { return each.watches(which.kind, which.space, size); }));
}
// Whether the function that is called counts requests in order: for each access one, however many tools have theirs.
inline bool is_tested_by_function(access const& which, std::span<hook const> hooks, hook_places const& where) {
  return !where.calls.empty() && which.limit == limit::none && watching_tools(which, hooks) == 1;
}

// Code before an access, and the part of it that is seldom executed: behind a jump, and ending with one.
struct spliced {
  std::string usual, seldom;
  std::size_t past;          // number of the label behind all
  bool parts_lanes = false;  // some lanes may jump to it, others not

  // Behind the label lanes are together as before: the assembler would let them go on apart.
  std::string end() const {
    return fmt::format("$pasta_past{}:\n{}", past, parts_lanes ? "\tbar.warp.sync \t%pasta_together;\n" : "");
  }
  // All of it in one place.
  std::string all() const {
    return usual + (seldom.empty() ? "" : fmt::format("\tbra \t$pasta_past{};\n{}", past, seldom)) + end();
  }
};

// Leads past where nobody collects.
inline std::string if_collected(std::size_t past, bool finds_again = false) {
  return std::string(finds_again ? find_again : "") + fmt::format(
                                                          "\tsetp.eq.u64 \t%pasta_adds, %pasta_at, 0;\n"
                                                          "\t@%pasta_adds bra \t$pasta_past{};\n",
                                                          past);
}

// The hooks of all tools that watch the access.
inline std::string call_hooks(hooked_access const& each, access const& which, std::span<hook const> hooks,
                              hook_places const& where, std::size_t& number, in_order_test test) {
  std::size_t const turn = number++;
  std::string code;
  // One request has one size and one space: lanes with others come in turn.
  bool const takes_turns = !each.size.is_number || !each.space.is_number;
  if (takes_turns) {
    code += fmt::format(
        "$pasta_turn{0}:\n"
        "{3}"
        "\tbrev.b32 \t%pasta_low, %pasta_lanes;\n"
        "\tclz.b32 \t%pasta_low, %pasta_low;\n"
        "\tmov.b32 \t%pasta_high, {1};\n"
        "\tshfl.sync.idx.b32 \t%pasta_other, %pasta_high, %pasta_low, 0x1f, %pasta_lanes;\n"
        "\tsetp.ne.u32 \t%pasta_adds, %pasta_other, %pasta_high;\n"
        "\tmov.b32 \t%pasta_high, {2};\n"
        "\tshfl.sync.idx.b32 \t%pasta_other, %pasta_high, %pasta_low, 0x1f, %pasta_lanes;\n"
        "\tsetp.ne.or.u32 \t%pasta_turns, %pasta_other, %pasta_high, %pasta_adds;\n"
        "\t@%pasta_turns bra \t$pasta_others{0};\n",
        turn, each.size.text, each.space.text, lanes_here("%pasta_lanes"));
  }
  bool const is_called = !where.calls.empty();
  if (!is_called) {
    code += fmt::format("{}\tld.global.nc.u64 \t%pasta_shared, [{}+{}];\n", lanes_here("%pasta_group"),
                        where.state_name, offsetof(module_state, shared));
  }
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    if (!hooks[i].watches(which.kind, which.space, which.size == size_source::text ? which.size_bytes : 0)) continue;
    code += code_of_hook(each, which, hooks[i], i, where, number, test);
  }
  // Lanes may have come apart where one waited for a lock.
  if (!is_called) code += "\tbar.warp.sync \t%pasta_group;\n";
  // The hooks stand within the loop: behind it the lanes meet.
  if (takes_turns) code += fmt::format("$pasta_others{0}:\n\t@%pasta_turns bra \t$pasta_turn{0};\n", turn);
  return code;
}

// Jumps of code to be put in, with the number of the label that they lead to.
inline std::string with_label(std::string text, std::size_t past) {
  constexpr std::string_view label = "$pasta_past;";
  for (std::size_t found = text.find(label); found != std::string::npos; found = text.find(label, found + 1))
    text.replace(found, label.size(), fmt::format("$pasta_past{};", past));
  return text;
}

// One access.
inline spliced code_of(module const& from, hooked_access const& each, std::span<hook const> hooks,
                       hook_places const& where, std::size_t& number, in_order_test test) {
  access const which = access_of(from, each);
  spliced code{{}, {}, number++};
  std::size_t const mine = number++;
  bool const takes_turns = !each.size.is_number || !each.space.is_number;
  bool const is_kept = each.kept != hooked_access::not_kept;
  bool const is_tested = is_kept || (each.in_order != no_counts && test == in_order_test::here);
  // A guard is part of the test, and so is whether the size is the whole one: lanes part behind it alone.
  bool const is_joined = is_tested && !each.holds.empty();
  code.parts_lanes = !is_joined && (takes_turns || !each.skip.empty());
  std::size_t const end = is_joined ? number++ : code.past;
  std::string const past = fmt::format("\tbra \t$pasta_past{};\n", code.past);
  std::string begin_seldom, end_seldom = past;
  if (is_joined) {
    begin_seldom = lanes_here("%pasta_together") + with_label(each.skip, end);
    end_seldom = fmt::format("$pasta_past{}:\n\tbar.warp.sync \t%pasta_together;\n{}", end, past);
  }
  if (code.parts_lanes) code.usual = lanes_here("%pasta_together");
  if (!is_joined) code.usual += with_label(each.skip, code.past);
  if (is_kept) {
    code.usual += each.before + test_expected(each, mine);
    code.seldom = fmt::format("$pasta_other{}:\n", mine) + if_collected(code.past) + begin_seldom +
                  learn_step(from, each, hooks, where, mine, end) +
                  call_hooks(each, which, hooks, where, number, in_order_test::here) + keep(each) + end_seldom;
    return code;
  }
  code.usual += if_collected(code.past, each.finds_again) + each.before;
  if (!is_tested) {
    code.usual += call_hooks(each, which, hooks, where, number, test);
    return code;
  }
  code.usual += count_in_order(which.size_bytes, where.in_order + each.in_order, each.in_order_step, each.row,
                               is_joined ? each.holds : "", mine);
  code.seldom = fmt::format("$pasta_apart{}:\n", mine) + begin_seldom +
                call_hooks(each, which, hooks, where, number, test) + end_seldom;
  return code;
}

// Accesses with one run: one, or several of a block.
inline spliced code_of_run(module const& from, std::span<hooked_access const> group, std::span<hook const> hooks,
                           hook_places const& where, std::size_t& number) {
  std::size_t const past = number++, mine = number++, end = number++;
  hooked_access const &first = group.front(), &last = group.back();
  bool const may_part =
      std::any_of(group.begin(), group.end(), [](hooked_access const& each) { return !each.skip.empty(); });
  bool const may_have_none =
      std::all_of(group.begin(), group.end(), [](hooked_access const& each) { return !each.happens.empty(); });
  spliced code{go_on(group, mine), fmt::format("$pasta_other{}:\n", mine), past};
  if (may_part) code.seldom += lanes_here("%pasta_together");
  if (may_have_none) {
    code.seldom += fmt::format(
        "\tsetp.ne.u32 \t%pasta_adds, %pasta_lane, %pasta_lane;\n"
        "{}"
        "\t@!%pasta_adds or.b32 \t%pasta_run{}, %pasta_run{}, {:#x};\n"
        "\t@!%pasta_adds bra \t$pasta_past{};\n",
        all_of(group, &hooked_access::happens), first.run, first.run, run_broken, end);
  }
  // Those that have none wait at the end already.
  if (may_part) code.seldom += lanes_here("%pasta_within");
  code.seldom += if_uncollected(first, end) + look_at_all(from, group, hooks, where, mine, end) +
                 save(last, where.run_places, saving::to_frame);
  for (std::size_t i = 0; i < group.size(); ++i) {
    hooked_access const& each = group[i];
    std::size_t const behind = number++;
    code.seldom += fmt::format(
        "\tand.b32 \t%pasta_low, %pasta_run_hooks, {:#x};\n"
        "\tsetp.eq.u32 \t%pasta_adds, %pasta_low, 0;\n"
        "\t@%pasta_adds bra \t$pasta_past{};\n",
        1U << i, behind);
    if (i > 0) {
      code.seldom += save(last, where.run_places, saving::from_frame, each.base);
      for (std::string_view const one : each.conditions)
        code.seldom += save(last, where.run_places, saving::from_frame, one);
    }
    code.seldom += with_label(each.skip, behind) + each.before +
                   fmt::format("\tbfe.u32 \t%pasta_keeps, %pasta_run_hooks, {}, 1;\n", i + 8) +
                   call_hooks(each, access_of(from, each), hooks, where, number, in_order_test::here) +
                   end_of_first(each) + fmt::format("$pasta_past{}:\n", behind);
    if (!each.skip.empty()) code.seldom += "\tbar.warp.sync \t%pasta_within;\n";
  }
  code.seldom += save(last, where.run_places, saving::from_frame) + fmt::format("$pasta_past{}:\n", end) +
                 (may_part ? "\tbar.warp.sync \t%pasta_together;\n" : "") +
                 fmt::format("\tbra \t$pasta_past{};\n", past);
  return code;
}

// Several accesses of a block, of one size and with counts side by side: one test for all whether their requests are in
// order, and one addition, of a lane for each. Else they are looked at one by one.
inline spliced code_of_batch(module const& from, std::span<hooked_access const> batch, std::span<hook const> hooks,
                             hook_places const& where, std::size_t& number) {
  std::vector<std::string_view> bases;  // accesses relative to one register need one test
  std::size_t const past = number++;
  std::uint32_t const size_bytes = detail::access_of(from, batch.front()).size_bytes;
  std::uint32_t const elements = pasta::detail::in_order_period / size_bytes;
  std::string tests, guards, adds;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    auto const found = std::find(bases.begin(), bases.end(), batch[i].base);
    auto const index = static_cast<std::size_t>(found - bases.begin());
    if (found == bases.end()) {
      bases.push_back(batch[i].base);
      fmt::format_to(std::back_inserter(tests),
                     "\tmul.wide.u32 \t%pasta_word, %pasta_lane, {1};\n"
                     "\tsub.s64 \t%pasta_word, {2}, %pasta_word;\n"
                     "\tmov.b64 \t{{%pasta_low{0}, %pasta_high}}, %pasta_word;\n"
                     "\tshfl.sync.idx.b32 \t%pasta_other, %pasta_low{0}, 0, 0x1f, 0xffffffff;\n"
                     "\tshfl.sync.idx.b32 \t%pasta_lanes, %pasta_high, 0, 0x1f, 0xffffffff;\n"
                     "\tsetp.eq.and.u32 \t%pasta_adds, %pasta_low{0}, %pasta_other, %pasta_adds;\n"
                     "\tsetp.eq.and.u32 \t%pasta_adds, %pasta_high, %pasta_lanes, %pasta_adds;\n",
                     index, size_bytes, batch[i].base);
    }
    if (guards.find(batch[i].holds) == std::string::npos) guards += batch[i].holds;
    fmt::format_to(std::back_inserter(adds),
                   "\tadd.u32 \t%pasta_high, %pasta_low{}, {};\n"
                   "\tsetp.eq.u32 \t%pasta_first, %pasta_lane, {};\n"
                   "\tselp.b32 \t%pasta_other, %pasta_high, %pasta_other, %pasta_first;\n",
                   index, static_cast<std::int32_t>(batch[i].offset), i);
  }
  std::string code = "\t{\n\t.reg .b32 \t";
  for (std::size_t i = 0; i < bases.size(); ++i)
    fmt::format_to(std::back_inserter(code), "{}%pasta_low{}", i == 0 ? "" : ", ", i);
  fmt::format_to(std::back_inserter(code),
                 ";\n{9}"
                 "\tactivemask.b32 \t%pasta_lanes;\n"
                 "\tsetp.eq.u32 \t%pasta_adds, %pasta_lanes, -1;\n"
                 "\t@!%pasta_adds bra \t$pasta_apart{0};\n"
                 "{1}{10}"
                 "\tvote.sync.all.pred \t%pasta_adds, %pasta_adds, 0xffffffff;\n"
                 "\t@!%pasta_adds bra \t$pasta_apart{0};\n"
                 "\tmov.b32 \t%pasta_other, 0;\n"
                 "{2}"
                 "\tshr.u32 \t%pasta_other, %pasta_other, {4};\n"
                 "\tand.b32 \t%pasta_other, %pasta_other, {5};\n"
                 "\tmad.lo.u32 \t%pasta_other, %pasta_other, {6}, %pasta_lane;\n"
                 "\tmad.wide.u32 \t%pasta_row, %pasta_other, {7}, %pasta_at;\n"
                 "\tsetp.lt.u32 \t%pasta_adds, %pasta_lane, {3};\n"
                 "\t@%pasta_adds red.global.add.u64 \t[%pasta_row+{8}], 1;\n"
                 "\t}}\n",
                 past, tests, adds, batch.size(), std::countr_zero(size_bytes), elements - 1, batch.size(),
                 counter_bytes, where.in_order + batch.front().in_order, if_collected(past, batch.front().finds_again),
                 guards);
  std::string one_by_one = fmt::format("$pasta_apart{}:\n", past), seldom;
  for (hooked_access const& each : batch) {
    in_order_test const test =
        is_tested_by_function(access_of(from, each), hooks, where) ? in_order_test::in_function : in_order_test::here;
    spliced const one = code_of(from, each, hooks, where, number, test);
    one_by_one += one.usual + one.end();
    seldom += one.seldom;
  }
  return {std::move(code), fmt::format("{}\tbra \t$pasta_past{};\n{}", one_by_one, past, seldom), past};
}

}  // namespace pasta::ptx::detail
#endif
