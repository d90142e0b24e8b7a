// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The code that counts requests in runs. A run is what an access in a loop does from turn to turn while each request
/// is one of the whole warp, and the address goes on by the same step for all lanes, a multiple of the period
/// (ptx/strides.hpp): all are alike, and one addition to a register counts one. Accesses of a basic block that follow
/// each other have one run, as a thread that comes to the first comes to all.
///
/// A lane's register %pasta_run<n> says whether the next request of the whole warp goes on with the run, in the two
/// highest bits, and has below that the number of requests that are counted and were added nowhere yet, and 1. Their
/// addresses and what each adds are in local memory, which is read where the run does not go on.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_HOOK_RUN_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_HOOK_RUN_HPP

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <pasta/instrument/ptx/detail/hook_kept.hpp>
#include <pasta/instrument/ptx/edits.hpp>
#include <string>
#include <string_view>

namespace pasta::ptx::detail {

// The highest bits. A run that goes on until its number has no room is at its `first` request.
inline constexpr std::uint32_t run_goes_on = 0x40000000,  // as the lane had all requests and made the step once before
    run_first = 0x80000000,                               // likewise, but for the step, which is to be seen
    run_broken = 0xc0000000, run_number = 0x3fffffff;

// What the function knows of its thread, beside that in registers: the shard's address; of each access the latest
// request's address, what it adds, and whether that is added later, 1 or 0; registers of its own.
inline constexpr std::uint32_t frame_runs = 8, frame_run_bytes = 16, frame_adds = 8, saved_bytes = 8;
inline constexpr std::string_view find_again =
    "\tld.local.u64 \t%pasta_at, [$pasta_frame];\n"
    "\tmov.u32 \t%pasta_lane, %laneid;\n";
inline std::uint32_t frame_of(hooked_access const& each) {
  return frame_runs + static_cast<std::uint32_t>(each.run_place) * frame_run_bytes;
}

inline std::string begin_runs(std::span<hooked_access const> accesses) {
  std::string text;
  std::size_t next = 0, places = 0, most_saved = 0;
  for (hooked_access const& each : accesses) {
    if (each.run == hooked_access::no_run) continue;
    ++places;
    next = std::max(next, each.run + 1);
    most_saved = std::max(most_saved, each.saved.size());
  }
  if (places == 0) return text;
  text = fmt::format(
      "\t.local .align 8 .b8 \t$pasta_frame[{}];\n"
      "\tst.local.u64 \t[$pasta_frame], %pasta_at;\n",
      frame_runs + frame_run_bytes * places + saved_bytes * most_saved);
  for (std::size_t i = 0; i < next; ++i) {
    fmt::format_to(std::back_inserter(text), "\t.reg .b32 \t%pasta_run{0};\n\tmov.b32 \t%pasta_run{0}, {1:#x};\n", i,
                   run_broken + 1);
  }
  return text;
}

// Around the hook: the function's registers are in memory, so that the assembler need not find room for both, and leave
// some of the function's in memory all the time.
enum class saving : std::uint8_t { to_frame, from_frame };
// @param only of this register; empty: of all
inline std::string save(hooked_access const& each, std::size_t places, saving which, std::string_view only = {}) {
  std::string code;
  std::size_t at = frame_runs + places * frame_run_bytes;
  for (auto const& [name, bits] : each.saved) {
    std::string const place = fmt::format("[$pasta_frame+{}]", at);
    at += saved_bytes;
    if (!only.empty() && name != only) continue;
    if (which == saving::to_frame) {
      fmt::format_to(std::back_inserter(code), "\tst.local.b{} \t{}, {};\n", bits, place, name);
    } else {
      fmt::format_to(std::back_inserter(code), "\tld.local.b{} \t{}, {};\n", bits, name, place);
    }
  }
  return code;
}

// A request that goes on with the run. Another one goes on behind $pasta_other.
inline std::string go_on(hooked_access const& each, std::size_t number) {
  return fmt::format(
      "\tmov.b32 \t%pasta_lanes, 0;\n"
      "\tsetp.ge.s32 \t%pasta_adds, %pasta_run{0}, 0;\n"
      "\t@%pasta_adds activemask.b32 \t%pasta_lanes;\n"
      "\tsetp.ne.u32 \t%pasta_adds, %pasta_lanes, -1;\n"
      "\t@%pasta_adds bra \t$pasta_other{1};\n"
      "\tadd.u32 \t%pasta_run{0}, %pasta_run{0}, 1;\n",
      each.run, number);
}

inline std::string break_run(std::size_t run) {
  return fmt::format("\tor.b32 \t%pasta_run{0}, %pasta_run{0}, {1:#x};\n", run, run_broken);
}
// Lanes for which the access's guard does not hold.
inline std::string skip_run(hooked_access const& each, std::size_t number) {
  std::string code = each.skip;
  if (std::size_t const label = code.find("$pasta_past;"); label != std::string::npos)
    code.replace(label, 12, fmt::format("$pasta_missed{};", number));
  return code;
}
inline std::string missed_turn(hooked_access const& each, std::size_t number, std::size_t past) {
  if (each.skip.empty()) return {};
  return fmt::format("$pasta_missed{}:\n{}\tbra \t$pasta_past{};\n", number, break_run(each.run), past);
}

// Where nobody collects the run goes on, and means nothing.
inline std::string if_uncollected(hooked_access const& each, std::size_t past) {
  return fmt::format(
      "{}"
      "\tsetp.eq.u64 \t%pasta_adds, %pasta_at, 0;\n"
      "\t@%pasta_adds mov.b32 \t%pasta_run{}, {:#x};\n"
      "\t@%pasta_adds bra \t$pasta_past{};\n",
      find_again, each.run, run_goes_on + 1, past);
}

// Adds what is counted, each lane for itself.
inline std::string add_run(module const& from, hooked_access const& each, std::span<hook const> hooks,
                           hook_places const& where) {
  return fmt::format(
             "\tsub.u32 \t%pasta_other, %pasta_run{}, 1;\n"
             "\tand.b32 \t%pasta_other, %pasta_other, {:#x};\n"
             "\tld.local.v2.u32 \t{{%pasta_high, %pasta_low}}, [$pasta_frame+{}];\n"
             "\tmul.lo.u32 \t%pasta_other, %pasta_other, %pasta_low;\n",
             each.run, run_number, frame_of(each) + frame_adds) +
         add_kept(from, each, hooks, where, "%pasta_other", "%pasta_high");
}
inline std::string fold_runs(module const& from, std::span<hooked_access const> accesses, std::span<hook const> hooks,
                             hook_places const& where) {
  std::string code, sets_back;
  std::size_t next = 0;
  for (hooked_access const& each : accesses) {
    if (each.run == hooked_access::no_run) continue;
    if (code.empty()) code = fmt::format("{}\tsetp.eq.u64 \t%pasta_adds, %pasta_at, 0;\n", find_again);
    for (; next <= each.run; ++next) {
      fmt::format_to(std::back_inserter(code), "\t@%pasta_adds mov.b32 \t%pasta_run{}, 1;\n", next);
      fmt::format_to(std::back_inserter(sets_back), "\tmov.b32 \t%pasta_run{}, {:#x};\n", next, run_broken + 1);
    }
    code += add_run(from, each, hooks, where);
  }
  return code + sets_back;
}

// Requests that go on with no run. Those of the whole warp that are as far from the latest for all lanes, by a multiple
// of the period, are alike: they are counted. If that was the step of one turn, or the step is known, the next ones go
// on with a run. Of others what was counted is added before the hooks. Requests of fewer lanes break the run.
inline std::string begin_run(module const& from, std::span<hooked_access const> group, std::span<hook const> hooks,
                             hook_places const& where, std::size_t number, std::size_t past) {
  std::size_t const run = group.front().run;
  std::string tests, addresses, adds;
  for (hooked_access const& each : group) {
    std::uint32_t const frame = frame_of(each);
    fmt::format_to(std::back_inserter(tests),
                   "{0}"
                   "\tld.local.u64 \t%pasta_word, [$pasta_frame+{1}];\n"
                   "\tsub.s64 \t%pasta_word, %pasta_address, %pasta_word;\n"
                   "{2}"
                   "\tand.b32 \t%pasta_other, %pasta_low, {3};\n"
                   "\tsetp.eq.and.u32 \t%pasta_adds, %pasta_other, 0, %pasta_adds;\n"
                   "\tand.pred \t%pasta_turns, %pasta_turns, %pasta_adds;\n"
                   "\tld.local.u32 \t%pasta_other, [$pasta_frame+{4}];\n"
                   "\tsetp.ne.and.u32 \t%pasta_turns, %pasta_other, 0, %pasta_turns;\n",
                   each.before, frame, compare_with_lane_0, pasta::detail::in_order_period - 1, frame + frame_adds + 4);
    fmt::format_to(std::back_inserter(addresses), "{}\tst.local.u64 \t[$pasta_frame+{}], %pasta_address;\n",
                   each.before, frame);
    adds += add_run(from, each, hooks, where);
  }
  std::string const new_state = group.front().has_known_step
                                    ? fmt::format("\tmov.b32 \t%pasta_high, {:#x};\n", run_goes_on)
                                    : fmt::format(
                                          "\tshr.u32 \t%pasta_high, %pasta_run{}, 30;\n"
                                          "\tsetp.eq.u32 \t%pasta_adds, %pasta_high, {};\n"
                                          "\tvote.sync.all.pred \t%pasta_adds, %pasta_adds, 0xffffffff;\n"
                                          "\tselp.b32 \t%pasta_high, {:#x}, {:#x}, %pasta_adds;\n",
                                          run, run_first >> 30, run_goes_on, run_first);
  return fmt::format(
      "\tmov.b32 \t%pasta_keeps, 0;\n"
      "\tactivemask.b32 \t%pasta_lanes;\n"
      "\tsetp.ne.u32 \t%pasta_adds, %pasta_lanes, -1;\n"
      "\t@%pasta_adds bra \t$pasta_apart{number};\n"
      "\tmov.b32 \t%pasta_keeps, 1;\n"
      "\tsub.u32 \t%pasta_other, %pasta_run{run}, 2;\n"  // one less than what is counted
      "\tand.b32 \t%pasta_other, %pasta_other, {all};\n"
      "\tsetp.lt.u32 \t%pasta_turns, %pasta_other, {most};\n"
      "{tests}"
      "\tvote.sync.all.pred \t%pasta_adds, %pasta_turns, 0xffffffff;\n"
      "\t@!%pasta_adds bra \t$pasta_unlike{number};\n"
      "{addresses}"
      "{new_state}"
      "\tand.b32 \t%pasta_low, %pasta_run{run}, {all};\n"
      "\tadd.u32 \t%pasta_low, %pasta_low, 1;\n"
      "\tor.b32 \t%pasta_run{run}, %pasta_low, %pasta_high;\n"
      "\tbra \t$pasta_past{past};\n"
      "$pasta_unlike{number}:\n"
      "{adds}"
      "{addresses}"
      "\tmov.b32 \t%pasta_run{run}, {first};\n"
      "$pasta_apart{number}:\n"
      "\tsetp.eq.u32 \t%pasta_adds, %pasta_keeps, 0;\n"
      "\t@%pasta_adds or.b32 \t%pasta_run{run}, %pasta_run{run}, {broken};\n",
      fmt::arg("run", run), fmt::arg("number", number), fmt::arg("past", past), fmt::arg("tests", tests),
      fmt::arg("addresses", addresses), fmt::arg("adds", adds), fmt::arg("all", run_number),
      fmt::arg("most", run_number - 2), fmt::arg("new_state", new_state), fmt::arg("broken", run_broken),
      fmt::arg("first", (group.front().has_known_step ? run_goes_on : run_first) + 2));
}

// Behind the hook, which kept what one request of the whole warp adds, or has added it: then no other one is counted.
inline std::string end_of_first(hooked_access const& each) {
  return fmt::format(
      "\tmov.b64 \t{{%pasta_low, %pasta_high}}, %pasta_kept;\n"
      "\tsetp.ne.u32 \t%pasta_adds, %pasta_keeps, 0;\n"
      "\t@%pasta_adds st.local.v2.u32 \t[$pasta_frame+{1}], {{%pasta_low, %pasta_high}};\n"
      "\tsetp.eq.and.u32 \t%pasta_adds, %pasta_high, 0, %pasta_adds;\n"
      "\t@%pasta_adds or.b32 \t%pasta_run{0}, %pasta_run{0}, {2:#x};\n",
      each.run, frame_of(each) + frame_adds, run_broken);
}

// The breaks of all runs. @return code for the function's end
inline std::string write_breaks(edits& changes, module const& from, std::span<hooked_access const> accesses,
                                std::size_t& number) {
  std::map<std::pair<std::size_t, run_break::place>, std::string> all;
  std::size_t next = 0;  // of the accesses with one run the first
  for (hooked_access const& each : accesses) {
    if (each.run == hooked_access::no_run || each.run < next) continue;
    next = each.run + 1;
    for (run_break const& one : each.breaks) all[{one.statement, one.where}] += break_run(each.run);
  }
  std::string code;
  for (auto const& [place, text] : all) {
    std::string_view const statement = from.statements[place.first].text;
    if (place.second == run_break::place::before) {
      changes.insert_before(statement, "\n" + text + "\t");
      continue;
    }
    std::string_view const target = jump_target(read_instruction(statement));
    std::string const label = fmt::format("$pasta_turn_over{}", number++);
    changes.replace(target, label);
    code += fmt::format("{}:\n{}\tbra \t{};\n", label, text, target);
  }
  return code;
}

}  // namespace pasta::ptx::detail
#endif
