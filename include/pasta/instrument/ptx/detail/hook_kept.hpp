// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The code that keeps the latest request of an access in registers.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_HOOK_KEPT_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_HOOK_KEPT_HPP

#include <fmt/format.h>

#include <bit>
#include <pasta/instrument/ptx/detail/hook_plan.hpp>
#include <string>
#include <string_view>

namespace pasta::ptx::detail {

// In a whole warp: %pasta_adds says whether the lane has the %pasta_word of lane 0. Leaves it in %pasta_low,
// %pasta_high.
inline constexpr std::string_view compare_with_lane_0 =
    "\tmov.b64 \t{%pasta_low, %pasta_high}, %pasta_word;\n"
    "\tshfl.sync.idx.b32 \t%pasta_other, %pasta_low, 0, 0x1f, 0xffffffff;\n"
    "\tshfl.sync.idx.b32 \t%pasta_lanes, %pasta_high, 0, 0x1f, 0xffffffff;\n"
    "\tsetp.eq.u32 \t%pasta_adds, %pasta_low, %pasta_other;\n"
    "\tsetp.eq.and.u32 \t%pasta_adds, %pasta_high, %pasta_lanes, %pasta_adds;\n";

// Adds what requests of an access are to add, each lane for itself: a register of 32 bits says how many they were,
// another one what each adds.
inline std::string add_kept(module const& from, hooked_access const& each, std::span<hook const> hooks,
                            hook_places const& where, std::string_view times, std::string_view adds) {
  using enum pasta::detail::hook_abi_word;
  hook const& tool = *keeper_of(hooks, access_of(from, each));
  row_places const& place = where.rows[static_cast<std::size_t>(&tool - hooks.data())];
  std::uint64_t const site = place.sites_shard + std::uint64_t{each.row} * tool.word(abi_site_shard_bytes);
  std::uint64_t const function =
      place.functions_shard + std::uint64_t{where.function} * tool.word(abi_function_shard_bytes);
  std::string code = fmt::format(
      "\tmul.wide.u32 \t%pasta_word, {0}, 32;\n"
      "\tsetp.eq.u32 \t%pasta_first, %pasta_lane, {2};\n"
      "\tsetp.ne.and.u64 \t%pasta_first, %pasta_word, 0, %pasta_first;\n"
      "\t@%pasta_first red.global.add.u64 \t[%pasta_at+{1}], %pasta_word;\n",
      times, site, each.row % 32);
  for (std::uint32_t i = 0; i < tool.word(abi_kept_counts); ++i) {
    std::uint32_t const at = tool.word(static_cast<pasta::detail::hook_abi_word>(abi_kept_place + i));
    bool const is_of_function = (at & pasta::detail::kept_function) != 0;
    fmt::format_to(std::back_inserter(code),
                   "\tbfe.u32 \t%pasta_low, {0}, {1}, 8;\n"
                   "\tmul.wide.u32 \t%pasta_word, %pasta_low, {3};\n"
                   "\tsetp.ne.u64 \t%pasta_first, %pasta_word, 0;\n"
                   "\t@%pasta_first red.global.add.u64 \t[%pasta_at+{2}], %pasta_word;\n",
                   adds, 8 * i, (is_of_function ? function : site) + (at & ~pasta::detail::kept_function), times);
  }
  return code;
}
// Makes %pasta_word the address of what would be the access's by lane 0 of a request in order.
inline std::string first_in_order(std::string_view address, std::uint32_t size_bytes) {
  return fmt::format(
      "\tmul.wide.u32 \t%pasta_word, %pasta_lane, {};\n"
      "\tsub.s64 \t%pasta_word, {}, %pasta_word;\n",
      size_bytes, address);
}
// Makes %pasta_row, but for the counts' own place, where a request in order is counted that begins at %pasta_low.
inline std::string place_in_order(std::uint32_t size_bytes, std::uint32_t step) {
  return fmt::format(
      "\tshr.u32 \t%pasta_low, %pasta_low, {};\n"
      "\tand.b32 \t%pasta_low, %pasta_low, {};\n"
      "\tmad.wide.u32 \t%pasta_row, %pasta_low, {}, %pasta_at;\n",
      std::countr_zero(size_bytes), pasta::detail::in_order_period / size_bytes - 1, step);
}
// Where the latest request was in order: adds how many there were to their count, and leaves nothing to add.
inline std::string fold_in_order(module const& from, hooked_access const& each, hook_places const& where) {
  std::uint32_t const size_bytes = access_of(from, each).size_bytes;
  return fmt::format(
      "\tsetp.eq.u32 \t%pasta_adds, %pasta_adds{kept}, {flag:#x};\n"
      "{first}"
      "\tcvt.u32.u64 \t%pasta_low, %pasta_word;\n"
      "{place}"
      "\tcvt.u64.u32 \t%pasta_word, %pasta_times{kept};\n"
      "\tsetp.eq.and.u32 \t%pasta_first, %pasta_lane, {leader}, %pasta_adds;\n"
      "\tsetp.ne.and.u32 \t%pasta_first, %pasta_times{kept}, 0, %pasta_first;\n"
      "\t@%pasta_first red.global.add.u64 \t[%pasta_row+{counts}], %pasta_word;\n"
      "\t@%pasta_adds mov.b32 \t%pasta_times{kept}, 0;\n",
      fmt::arg("kept", each.kept), fmt::arg("flag", pasta::detail::kept_in_order),
      fmt::arg("first", first_in_order(fmt::format("%pasta_next{}", each.kept), size_bytes)),
      fmt::arg("place", place_in_order(size_bytes, each.in_order_step)), fmt::arg("leader", each.row % 32),
      fmt::arg("counts", where.in_order + each.in_order));
}
inline std::string fold_one(module const& from, hooked_access const& each, std::span<hook const> hooks,
                            hook_places const& where) {
  return fmt::format(
      "\t{{\n"
      "\tsetp.eq.u32 \t%pasta_adds, %pasta_times{0}, 0;\n"
      "\t@%pasta_adds bra \t$pasta_none_kept;\n"
      "{1}{2}"
      "\tmov.b32 \t%pasta_times{0}, 0;\n"
      "$pasta_none_kept:\n"
      "\t}}\n",
      each.kept, fold_in_order(from, each, where),
      add_kept(from, each, hooks, where, fmt::format("%pasta_times{}", each.kept),
               fmt::format("%pasta_adds{}", each.kept)));
}

// A request where it is expected: does the same as the latest once more. Another goes on behind $pasta_other, and so
// does one that would make the number of them too large.
inline std::string test_expected(hooked_access const& each, std::size_t number) {
  return fmt::format(
      "\tmov.b32 \t%pasta_lanes, 0;\n"
      "\tsetp.eq.s64 \t%pasta_adds, %pasta_address, %pasta_next{0};\n"
      "{2}"
      "\t@%pasta_adds activemask.b32 \t%pasta_lanes;\n"
      "\tsetp.ne.u32 \t%pasta_adds, %pasta_lanes, -1;\n"
      "\tsetp.lt.or.s32 \t%pasta_adds, %pasta_times{0}, 0, %pasta_adds;\n"
      "\t@%pasta_adds bra \t$pasta_other{1};\n"
      "\tcvt.u64.u32 \t%pasta_word, %pasta_step{0};\n"
      "\tadd.s64 \t%pasta_next{0}, %pasta_next{0}, %pasta_word;\n"
      "\tadd.u32 \t%pasta_times{0}, %pasta_times{0}, 1;\n",
      each.kept, number, each.holds);
}

// Behind that: so does one that is as far from the latest for all lanes of the warp, by a multiple of
// the period. Of another one what the latest were to add is added before the hook, or it is kept as one in order: it
// and those that are alike are counted where it begins.
inline std::string learn_step(module const& from, hooked_access const& each, std::span<hook const> hooks,
                              hook_places const& where, std::size_t number, std::size_t past) {
  return fmt::format(
             "\tmov.b32 \t%pasta_keeps, 0;\n"
             "\tactivemask.b32 \t%pasta_lanes;\n"
             "\tsetp.ne.u32 \t%pasta_adds, %pasta_lanes, -1;\n"
             "\t@%pasta_adds bra \t$pasta_apart{number};\n"
             "{whole}"
             "\tmov.b32 \t%pasta_keeps, 1;\n"
             "\tcvt.u64.u32 \t%pasta_word, %pasta_step{kept};\n"
             "\tsub.s64 \t%pasta_word, %pasta_next{kept}, %pasta_word;\n"
             "\tsub.s64 \t%pasta_word, %pasta_address, %pasta_word;\n"
             "{compare}"
             "\tand.b32 \t%pasta_other, %pasta_low, {rest};\n"
             "\tsetp.eq.and.u32 \t%pasta_adds, %pasta_other, 0, %pasta_adds;\n"
             "\tsetp.gt.and.s32 \t%pasta_adds, %pasta_times{kept}, 0, %pasta_adds;\n"
             "\tvote.sync.all.pred \t%pasta_adds, %pasta_adds, 0xffffffff;\n"
             "\t@!%pasta_adds bra \t$pasta_unlike{number};\n"
             "\tsetp.eq.u32 \t%pasta_adds, %pasta_high, 0;\n"
             "\tselp.b32 \t%pasta_step{kept}, %pasta_low, 0, %pasta_adds;\n"
             "\tcvt.u64.u32 \t%pasta_word, %pasta_step{kept};\n"
             "\tadd.s64 \t%pasta_next{kept}, %pasta_address, %pasta_word;\n"
             "\tadd.u32 \t%pasta_times{kept}, %pasta_times{kept}, 1;\n"
             "\tbra \t$pasta_past{past};\n"
             "$pasta_unlike{number}:\n",
             fmt::arg("kept", each.kept), fmt::arg("number", number), fmt::arg("past", past),
             fmt::arg("compare", compare_with_lane_0), fmt::arg("rest", pasta::detail::in_order_period - 1),
             fmt::arg("whole", each.whole.empty()
                                   ? std::string()
                                   : fmt::format("\tsetp.eq.u32 \t%pasta_adds, %pasta_lane, %pasta_lane;\n"
                                                 "{}"
                                                 "\tvote.sync.all.pred \t%pasta_adds, %pasta_adds, 0xffffffff;\n"
                                                 "\t@!%pasta_adds bra \t$pasta_apart{};\n",
                                                 each.whole, number))) +
         fold_one(from, each, hooks, where) +
         fmt::format(
             "\tmov.b64 \t%pasta_next{0}, %pasta_address;\n"
             "\tmov.b32 \t%pasta_step{0}, 0;\n"
             "{2}{3}"
             "\tvote.sync.all.pred \t%pasta_adds, %pasta_adds, 0xffffffff;\n"
             "\t@!%pasta_adds bra \t$pasta_apart{1};\n"
             "\tmov.b32 \t%pasta_adds{0}, {4:#x};\n"
             "\tmov.b32 \t%pasta_times{0}, 1;\n"
             "\tbra \t$pasta_past{5};\n"
             "$pasta_apart{1}:\n",
             each.kept, number, first_in_order("%pasta_address", access_of(from, each).size_bytes), compare_with_lane_0,
             pasta::detail::kept_in_order, past);
}

// Behind the hook. Only a request of the whole warp is kept; of others all is merged already, and what is kept stays.
inline std::string keep(hooked_access const& each) {
  return fmt::format(
      "\tsetp.ne.u32 \t%pasta_adds, %pasta_keeps, 0;\n"
      "\t@%pasta_adds mov.b64 \t{{%pasta_adds{0}, %pasta_times{0}}}, %pasta_kept;\n"
      "\tsetp.eq.and.u32 \t%pasta_adds, %pasta_times{0}, 0, %pasta_adds;\n"
      "\t@%pasta_adds mov.b64 \t%pasta_next{0}, -1;\n",
      each.kept);
}

}  // namespace pasta::ptx::detail
#endif
