// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The code that counts requests in runs. A run is what an access in a loop does from turn to turn while each request
/// is one of the whole warp, and the address goes on by the same step for all lanes, a multiple of the period
/// (ptx/strides.hpp): all are alike, and one addition to a register counts one. Accesses of a basic block that follow
/// each other have one run, as a thread that comes to the first comes to all; where a guard does not hold for a lane,
/// or a copy is not of its whole size, the turn is none of the run.
///
/// A lane's register %pasta_run<n> says whether the next turn of the whole warp goes on with the run, in the two
/// highest bits, and has below that the number of turns that are counted and were added nowhere yet, and 1. What each
/// access adds in such a turn is in local memory, which is read where the run does not go on. As long as all of a run's
/// requests were in order, lane i has there where the i-th access begins in a sector. Else each lane has what each
/// access adds, and how many requests more of the access were like that: made in other turns, or, if that is less than
/// 0, not made in some.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_HOOK_RUN_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_HOOK_RUN_HPP

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <pasta/instrument/ptx/detail/hook_kept.hpp>
#include <pasta/instrument/ptx/detail/lanes_here.hpp>
#include <pasta/instrument/ptx/edits.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptx::detail {

// The highest bits. A run that goes on until its number has no room is at its `first` turn.
inline constexpr std::uint32_t run_goes_on = 0x40000000,  // as the lane had all requests and made the step once before
    run_first = 0x80000000,                               // likewise, but for the step, which is to be seen
    run_broken = 0xc0000000, run_number = 0x3fffffff;

// What the function knows of its thread, beside that in registers: the shard's address; of each access the latest
// address that was compared, what a request adds (0: that is not known, or 1 more than what hooks return), and how many
// more there were, and with a run's first access how its requests are counted; registers of its own.
inline constexpr std::uint32_t frame_runs = 8, frame_run_bytes = 24, frame_adds = 8, frame_order = 16, saved_bytes = 8;
// The latter is one of these, or where the access of the lane's number has its count, from 2 on.
inline constexpr std::uint32_t not_counted_yet = 0, counted_apart = 1, counted_in_order = 2;
inline constexpr std::string_view find_again =
    "\tld.local.u64 \t%pasta_at, [$pasta_frame];\n"
    "\tmov.u32 \t%pasta_lane, %laneid;\n";
inline std::uint32_t frame_of(hooked_access const& each) {
  return frame_runs + static_cast<std::uint32_t>(each.run_place) * frame_run_bytes;
}

inline std::string begin_runs(std::span<hooked_access const> accesses) {
  std::string text;
  std::vector<bool> begun(accesses.size(), false);
  std::size_t places = 0, most_saved = 0;
  for (hooked_access const& each : accesses) {
    if (each.run == hooked_access::no_run) continue;
    ++places;
    most_saved = std::max(most_saved, each.saved.size());
    if (begun[each.run]) continue;
    begun[each.run] = true;
    fmt::format_to(std::back_inserter(text),
                   "\t.reg .b32 \t%pasta_run{0};\n"
                   "\tmov.b32 \t%pasta_run{0}, {1:#x};\n"
                   "\tst.local.u32 \t[$pasta_frame+{2}], {3};\n",
                   each.run, run_broken + 1, frame_of(each) + frame_order, not_counted_yet);
  }
  if (places == 0) return text;
  return fmt::format(
             "\t.local .align 8 .b8 \t$pasta_frame[{}];\n"
             "\t.reg .b32 \t%pasta_run_hooks, %pasta_within;\n"
             "\tst.local.u64 \t[$pasta_frame], %pasta_at;\n",
             frame_runs + frame_run_bytes * places + saved_bytes * most_saved) +
         text;
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

inline std::string break_run(std::size_t run) {
  return fmt::format("\tor.b32 \t%pasta_run{0}, %pasta_run{0}, {1:#x};\n", run, run_broken);
}

// Each text once.
inline std::string all_of(std::span<hooked_access const> group, std::string hooked_access::*which) {
  std::vector<std::string_view> found;
  std::string code;
  for (hooked_access const& each : group) {
    std::string const& text = each.*which;
    if (text.empty() || std::find(found.begin(), found.end(), text) != found.end()) continue;
    found.push_back(text);
    code += text;
  }
  return code;
}

// A turn that goes on with the run. Another one goes on behind $pasta_other.
inline std::string go_on(std::span<hooked_access const> group, std::size_t number) {
  return fmt::format(
      "\tmov.b32 \t%pasta_lanes, 0;\n"
      "\tsetp.ge.s32 \t%pasta_adds, %pasta_run{0}, 0;\n"
      "{2}{3}"
      "\t@%pasta_adds activemask.b32 \t%pasta_lanes;\n"
      "\tsetp.ne.u32 \t%pasta_adds, %pasta_lanes, -1;\n"
      "\t@%pasta_adds bra \t$pasta_other{1};\n"
      "\tadd.u32 \t%pasta_run{0}, %pasta_run{0}, 1;\n",
      group.front().run, number, all_of(group, &hooked_access::holds), all_of(group, &hooked_access::has_stepped));
}

// Where nobody collects the run goes on, and means nothing.
inline std::string if_uncollected(hooked_access const& each, std::size_t end) {
  return fmt::format(
      "{}"
      "\tsetp.eq.u64 \t%pasta_adds, %pasta_at, 0;\n"
      "\t@%pasta_adds mov.b32 \t%pasta_run{}, {:#x};\n"
      "\t@%pasta_adds bra \t$pasta_past{};\n",
      find_again, each.run, run_goes_on + 1, end);
}

// Whether requests in order of all accesses are counted at once.
inline bool may_be_in_order(module const& from, std::span<hooked_access const> group) {
  std::uint32_t const size_bytes = access_of(from, group.front()).size_bytes;
  return std::all_of(group.begin(), group.end(), [&](hooked_access const& each) {
    return !each.base.empty() && access_of(from, each).size_bytes == size_bytes;
  });
}
// In a whole warp: %pasta_adds says whether the lane's requests are in order, %pasta_order where the access of its
// number is counted, among the counts of all.
inline std::string test_order(module const& from, std::span<hooked_access const> group) {
  std::uint32_t const size_bytes = access_of(from, group.front()).size_bytes;
  std::uint32_t const elements = pasta::detail::in_order_period / size_bytes;
  std::vector<std::string_view> bases;  // accesses relative to one register need one test
  std::string tests, places, registers;
  for (std::size_t i = 0; i < group.size(); ++i) {
    auto const found = std::find(bases.begin(), bases.end(), group[i].base);
    auto const index = static_cast<std::size_t>(found - bases.begin());
    if (found == bases.end()) {
      bases.push_back(group[i].base);
      fmt::format_to(std::back_inserter(registers), "\t.reg .b32 \t%pasta_low{};\n", index);
      fmt::format_to(std::back_inserter(tests),
                     "\tsub.s64 \t%pasta_word, {1}, %pasta_row;\n"
                     "\tmov.b64 \t{{%pasta_low{0}, %pasta_high}}, %pasta_word;\n"
                     "\tshfl.sync.idx.b32 \t%pasta_other, %pasta_low{0}, 0, 0x1f, 0xffffffff;\n"
                     "\tshfl.sync.idx.b32 \t%pasta_lanes, %pasta_high, 0, 0x1f, 0xffffffff;\n"
                     "\tsetp.eq.and.u32 \t%pasta_adds, %pasta_low{0}, %pasta_other, %pasta_adds;\n"
                     "\tsetp.eq.and.u32 \t%pasta_adds, %pasta_high, %pasta_lanes, %pasta_adds;\n",
                     index, group[i].base);
    }
    fmt::format_to(std::back_inserter(places),
                   "\tadd.u32 \t%pasta_high, %pasta_low{}, {};\n"
                   "\tsetp.eq.u32 \t%pasta_first, %pasta_lane, {};\n"
                   "\tselp.b32 \t%pasta_order, %pasta_high, %pasta_order, %pasta_first;\n",
                   index, static_cast<std::int32_t>(group[i].offset), i);
  }
  return fmt::format(
      "\tmul.wide.u32 \t%pasta_row, %pasta_lane, {};\n"
      "\tsetp.eq.u32 \t%pasta_adds, %pasta_lane, %pasta_lane;\n"
      "\tmov.b32 \t%pasta_order, 0;\n"
      "\t{{\n"
      "{}{}{}"
      "\t}}\n"
      "\tshr.u32 \t%pasta_order, %pasta_order, {};\n"
      "\tand.b32 \t%pasta_order, %pasta_order, {};\n"
      "\tmad.lo.u32 \t%pasta_order, %pasta_lane, {}, %pasta_order;\n"
      "\tadd.u32 \t%pasta_order, %pasta_order, {};\n",
      size_bytes, registers, tests, places, std::countr_zero(size_bytes), elements - 1, elements, counted_in_order);
}
// Adds %pasta_number requests in order of each access, if %pasta_was says that they are: lane i for the i-th.
inline std::string settle_in_order(std::span<hooked_access const> group, hook_places const& where) {
  return fmt::format(
      "\tsetp.lt.u32 \t%pasta_adds, %pasta_lane, {};\n"
      "\tsetp.ge.and.u32 \t%pasta_adds, %pasta_was, {}, %pasta_adds;\n"
      "\tsetp.ne.and.u32 \t%pasta_adds, %pasta_number, 0, %pasta_adds;\n"
      "\tcvt.u64.u32 \t%pasta_word, %pasta_number;\n"
      "\tmad.wide.u32 \t%pasta_row, %pasta_was, {}, %pasta_at;\n"
      "\t@%pasta_adds red.global.add.u64 \t[%pasta_row+{}], %pasta_word;\n",
      group.size(), counted_in_order, counter_bytes,
      std::int64_t{where.in_order} + group.front().in_order - std::int64_t{counted_in_order} * counter_bytes);
}

// Adds %pasta_times requests of an access that add what %pasta_stored says, each lane for itself.
inline std::string settle(module const& from, hooked_access const& each, std::span<hook const> hooks,
                          hook_places const& where) {
  return fmt::format(
      "\t{{\n"
      "\tsetp.eq.u32 \t%pasta_adds, %pasta_times, 0;\n"
      "\tsetp.eq.or.u32 \t%pasta_adds, %pasta_stored, 0, %pasta_adds;\n"
      "\t@%pasta_adds bra \t$pasta_settled;\n"
      "\tsub.u32 \t%pasta_stored, %pasta_stored, 1;\n"
      "{}"
      "$pasta_settled:\n"
      "\t}}\n",
      add_kept(from, each, hooks, where, "%pasta_times", "%pasta_stored"));
}
inline constexpr std::string_view run_registers =
    "\t.reg .pred \t%pasta_whole, %pasta_alike, %pasta_room;\n"
    "\t.reg .b32 \t%pasta_number, %pasta_new, %pasta_state, %pasta_stored, %pasta_more, %pasta_times, %pasta_was, "
    "%pasta_order;\n";
// Of %pasta_run<n>.
inline std::string read_number(std::size_t run) {
  return fmt::format(
      "\tsub.u32 \t%pasta_number, %pasta_run{}, 1;\n"
      "\tand.b32 \t%pasta_number, %pasta_number, {:#x};\n",
      run, run_number);
}

// Of one run: what is counted, each lane for itself.
inline std::string fold_run(module const& from, std::span<hooked_access const> group, std::span<hook const> hooks,
                            hook_places const& where) {
  hooked_access const& first = group.front();
  std::string apart;
  for (hooked_access const& each : group) {
    fmt::format_to(std::back_inserter(apart),
                   "\tld.local.v2.u32 \t{{%pasta_stored, %pasta_more}}, [$pasta_frame+{}];\n"
                   "\tadd.u32 \t%pasta_times, %pasta_number, %pasta_more;\n"
                   "{}",
                   frame_of(each) + frame_adds, settle(from, each, hooks, where));
  }
  return fmt::format(
      "\t{{\n"
      "\tld.local.u32 \t%pasta_was, [$pasta_frame+{order}];\n"
      "\tsetp.eq.u32 \t%pasta_adds, %pasta_was, {none};\n"
      "\t@%pasta_adds bra \t$pasta_run_folded;\n"
      "\tst.local.u32 \t[$pasta_frame+{order}], {none};\n"
      "{read}"
      "{in_order}"
      "\tsetp.ne.u32 \t%pasta_adds, %pasta_was, {apart_mode};\n"
      "\t@%pasta_adds bra \t$pasta_run_folded;\n"
      "{apart}"
      "$pasta_run_folded:\n"
      "\t}}\n",
      fmt::arg("read", read_number(first.run)), fmt::arg("order", frame_of(first) + frame_order),
      fmt::arg("none", not_counted_yet),
      fmt::arg("in_order", may_be_in_order(from, group) ? settle_in_order(group, where) : std::string()),
      fmt::arg("apart_mode", counted_apart), fmt::arg("apart", apart));
}
inline std::string fold_runs(module const& from, std::span<hooked_access const> accesses, std::span<hook const> hooks,
                             hook_places const& where) {
  std::string code, sets_back;
  for (auto each = accesses.begin(); each != accesses.end();) {
    auto const end = std::find_if(each, accesses.end(), [&](auto const& other) { return other.run != each->run; });
    if (each->run != hooked_access::no_run) {
      code += fold_run(from, {each, end}, hooks, where);
      fmt::format_to(std::back_inserter(sets_back), "\tmov.b32 \t%pasta_run{}, {:#x};\n", each->run, run_broken + 1);
    }
    each = end;
  }
  if (code.empty()) return code;
  return fmt::format(
      "\t{{\n"
      "{}{}"
      "\tsetp.eq.u64 \t%pasta_adds, %pasta_at, 0;\n"
      "\t@%pasta_adds bra \t$pasta_unfolded;\n"
      "{}"
      "$pasta_unfolded:\n"
      "\t}}\n"
      "{}",
      run_registers, find_again, code, sets_back);
}

// Of a turn that goes on with no run, one access, by the whole warp: as far from the latest address for all lanes, by a
// multiple of the period, or not: that is left to the hook. %pasta_run_hooks has a bit for each access whose hook is to
// run, and 8 above it one for each whose hook is to return what a request adds.
inline std::string look_at(module const& from, hooked_access const& each, std::size_t index,
                           std::span<hook const> hooks, hook_places const& where, bool has_known_step) {
  std::string code = "\t{\n";
  if (!each.holds.empty()) {
    fmt::format_to(std::back_inserter(code),
                   "\t@%pasta_whole bra \t$pasta_made;\n"
                   "\tsetp.eq.u32 \t%pasta_adds, %pasta_lane, %pasta_lane;\n"
                   "{}"
                   "\tvote.sync.all.pred \t%pasta_adds, %pasta_adds, 0xffffffff;\n"
                   "\t@!%pasta_adds or.b32 \t%pasta_run_hooks, %pasta_run_hooks, {:#x};\n"
                   "\t@!%pasta_adds bra \t$pasta_seen;\n"
                   "$pasta_made:\n",
                   each.holds, 1U << index);
  }
  return code +
         fmt::format(
             "{before}"
             "\tld.local.u64 \t%pasta_word, [$pasta_frame+{frame}];\n"
             "\tld.local.v2.u32 \t{{%pasta_stored, %pasta_more}}, [$pasta_frame+{adds}];\n"
             "\tst.local.u64 \t[$pasta_frame+{frame}], %pasta_address;\n"
             "\tsub.s64 \t%pasta_word, %pasta_address, %pasta_word;\n"
             "{compare}"
             "\tand.b32 \t%pasta_other, %pasta_low, {rest};\n"
             "\tsetp.eq.and.u32 \t%pasta_adds, %pasta_other, 0, %pasta_adds;\n"
             "\tsetp.ne.and.u32 \t%pasta_adds, %pasta_stored, 0, %pasta_adds;\n"
             "\tand.pred \t%pasta_adds, %pasta_adds, %pasta_room;\n"
             "\tvote.sync.all.pred \t%pasta_alike, %pasta_adds, 0xffffffff;\n"
             "\t@%pasta_alike bra \t$pasta_counted;\n"
             "\tadd.u32 \t%pasta_times, %pasta_number, %pasta_more;\n"
             "{settle}{unlike}"
             "\tmov.b32 \t%pasta_stored, 0;\n"
             "\tneg.s32 \t%pasta_more, %pasta_new;\n"
             "\tor.b32 \t%pasta_run_hooks, %pasta_run_hooks, {hook:#x};\n"
             "$pasta_counted:\n"
             "\tadd.u32 \t%pasta_more, %pasta_more, 1;\n"
             "\tst.local.v2.u32 \t[$pasta_frame+{adds}], {{%pasta_stored, %pasta_more}};\n"
             "$pasta_seen:\n"
             "\t}}\n",
             fmt::arg("before", each.before), fmt::arg("compare", compare_with_lane_0),
             fmt::arg("frame", frame_of(each)), fmt::arg("adds", frame_of(each) + frame_adds),
             fmt::arg("rest", pasta::detail::in_order_period - 1), fmt::arg("settle", settle(from, each, hooks, where)),
             fmt::arg("unlike", has_known_step
                                    ? std::string()
                                    : fmt::format("\tmax.u32 \t%pasta_state, %pasta_state, {:#x};\n", run_first)),
             fmt::arg("hook", 0x101U << index));
}

// All accesses of such a turn, where they are in order, as in the turns before or not. Goes on behind $pasta_looked,
// or, where they are not, behind this, where they are looked at one by one.
inline std::string look_at_order(module const& from, std::span<hooked_access const> group, hook_places const& where) {
  hooked_access const& first = group.front();
  std::uint32_t const order = frame_of(first) + frame_order;
  std::string nothing;
  for (hooked_access const& each : group) {
    fmt::format_to(std::back_inserter(nothing), "\tst.local.u32 \t[$pasta_frame+{}], 0;\n",
                   frame_of(each) + frame_adds);
  }
  std::string code = fmt::format(
      "\tld.local.u32 \t%pasta_was, [$pasta_frame+{}];\n"
      "\tsetp.eq.u32 \t%pasta_adds, %pasta_was, {};\n"
      "\t@%pasta_adds bra \t$pasta_looks;\n",
      order, counted_apart);
  if (may_be_in_order(from, group)) {
    fmt::format_to(
        std::back_inserter(code),
        "\tmov.b32 \t%pasta_order, {apart};\n"
        "\t@!%pasta_whole bra \t$pasta_settles;\n"
        "{test}"
        "\tvote.sync.all.pred \t%pasta_alike, %pasta_adds, 0xffffffff;\n"
        "\tselp.b32 \t%pasta_order, %pasta_order, {apart}, %pasta_alike;\n"
        "\tsetp.eq.and.u32 \t%pasta_adds, %pasta_order, %pasta_was, %pasta_room;\n"
        "\tvote.sync.all.pred \t%pasta_adds, %pasta_adds, 0xffffffff;\n"
        "\t@%pasta_adds bra \t$pasta_counts;\n"
        "$pasta_settles:\n"
        "{settle}"
        "\tst.local.u32 \t[$pasta_frame+{order}], %pasta_order;\n"
        "\tmov.b32 \t%pasta_number, 0;\n"
        "\tmov.b32 \t%pasta_new, 0;\n"
        "\tsetp.eq.u32 \t%pasta_adds, %pasta_order, {apart};\n"
        "\t@%pasta_adds bra \t$pasta_parts;\n"
        "{unlike}"
        "$pasta_counts:\n"
        "\tadd.u32 \t%pasta_new, %pasta_number, 1;\n"
        "\tbra \t$pasta_looked;\n"
        "$pasta_parts:\n",
        fmt::arg("apart", counted_apart), fmt::arg("test", test_order(from, group)),
        fmt::arg("settle", settle_in_order(group, where)), fmt::arg("order", order),
        fmt::arg("unlike", first.has_known_step
                               ? std::string()
                               : fmt::format("\tmax.u32 \t%pasta_state, %pasta_state, {:#x};\n", run_first)));
  } else {
    fmt::format_to(std::back_inserter(code), "\tst.local.u32 \t[$pasta_frame+{}], {};\n", order, counted_apart);
  }
  return code + nothing + "$pasta_looks:\n";
}

// A turn that goes on with no run. Where all requests are the whole warp's, and, if the step is not known, each was
// like that of the turn before, the next ones go on with one.
inline std::string look_at_all(module const& from, std::span<hooked_access const> group, std::span<hook const> hooks,
                               hook_places const& where, std::size_t number, std::size_t end) {
  hooked_access const& first = group.front();
  std::string const holds = all_of(group, &hooked_access::holds);
  std::string seen = look_at_order(from, group, where);
  for (std::size_t i = 0; i < group.size(); ++i) seen += look_at(from, group[i], i, hooks, where, first.has_known_step);
  std::string const whole = holds.empty() ? "\tsetp.eq.u32 \t%pasta_whole, %pasta_lane, %pasta_lane;\n"
                                          : fmt::format(
                                                "\tsetp.eq.u32 \t%pasta_adds, %pasta_lane, %pasta_lane;\n"
                                                "{}"
                                                "\tvote.sync.all.pred \t%pasta_whole, %pasta_adds, 0xffffffff;\n",
                                                holds);
  std::string const state =
      first.has_known_step
          ? fmt::format("\tselp.b32 \t%pasta_state, {:#x}, {:#x}, %pasta_whole;\n", run_goes_on, run_broken)
          : fmt::format(
                "\tshr.u32 \t%pasta_state, %pasta_run{}, 30;\n"
                "\tsetp.eq.u32 \t%pasta_adds, %pasta_state, {};\n"
                "{}"
                "\tvote.sync.all.pred \t%pasta_adds, %pasta_adds, 0xffffffff;\n"
                "\tselp.b32 \t%pasta_state, {:#x}, {:#x}, %pasta_adds;\n"
                "\tselp.b32 \t%pasta_state, %pasta_state, {:#x}, %pasta_whole;\n",
                first.run, run_first >> 30, all_of(group, &hooked_access::has_stepped), run_goes_on, run_first,
                run_broken);
  return fmt::format(
      "\tmov.b32 \t%pasta_run_hooks, {all_hooks:#x};\n"
      "\tactivemask.b32 \t%pasta_lanes;\n"
      "\tsetp.ne.u32 \t%pasta_adds, %pasta_lanes, -1;\n"
      "\t@%pasta_adds or.b32 \t%pasta_run{run}, %pasta_run{run}, {broken:#x};\n"
      "\t@%pasta_adds bra \t$pasta_apart{number};\n"
      "\tmov.b32 \t%pasta_run_hooks, 0;\n"
      "\t{{\n"
      "{registers}{whole}{read}"
      "\tsetp.lt.u32 \t%pasta_room, %pasta_number, {most};\n"
      "\tselp.b32 \t%pasta_new, %pasta_number, 0, %pasta_room;\n"
      "\tselp.b32 \t%pasta_new, %pasta_new, %pasta_number, %pasta_whole;\n"
      "{state}{seen}"
      "$pasta_looked:\n"
      "\tadd.u32 \t%pasta_new, %pasta_new, 1;\n"
      "\tand.b32 \t%pasta_new, %pasta_new, {number_bits:#x};\n"
      "\tor.b32 \t%pasta_run{run}, %pasta_new, %pasta_state;\n"
      "\t}}\n"
      "\tsetp.eq.u32 \t%pasta_adds, %pasta_run_hooks, 0;\n"
      "\t@%pasta_adds bra \t$pasta_past{end};\n"
      "$pasta_apart{number}:\n",
      fmt::arg("all_hooks", (1U << group.size()) - 1), fmt::arg("run", first.run), fmt::arg("broken", run_broken),
      fmt::arg("number", number), fmt::arg("registers", run_registers), fmt::arg("whole", whole),
      fmt::arg("read", read_number(first.run)), fmt::arg("most", run_number - 2), fmt::arg("state", state),
      fmt::arg("seen", seen), fmt::arg("number_bits", run_number), fmt::arg("end", end));
}

// Behind the hook, which returned what one request of the whole warp adds, or has added it: then no other one is
// counted.
inline std::string end_of_first(hooked_access const& each) {
  return fmt::format(
      "\tmov.b64 \t{{%pasta_low, %pasta_high}}, %pasta_kept;\n"
      "\tadd.u32 \t%pasta_low, %pasta_low, 1;\n"
      "\tsetp.ne.u32 \t%pasta_adds, %pasta_keeps, 0;\n"
      "\tsetp.ne.and.u32 \t%pasta_first, %pasta_high, 0, %pasta_adds;\n"
      "\t@%pasta_first st.local.u32 \t[$pasta_frame+{1}], %pasta_low;\n"
      "\tsetp.eq.and.u32 \t%pasta_adds, %pasta_high, 0, %pasta_adds;\n"
      "\t@%pasta_adds or.b32 \t%pasta_run{0}, %pasta_run{0}, {2:#x};\n",
      each.run, frame_of(each) + frame_adds, run_broken);
}

// The breaks of all runs. @return code for the function's end
inline std::string write_breaks(edits& changes, module const& from, std::span<hooked_access const> accesses,
                                std::size_t& number) {
  std::map<std::pair<std::size_t, run_break::place>, std::string> all;
  std::size_t last =
      hooked_access::no_run;  // of the accesses with one run, which follow each other, the first is taken
  for (hooked_access const& each : accesses) {
    if (each.run == hooked_access::no_run || each.run == last) continue;
    last = each.run;
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
