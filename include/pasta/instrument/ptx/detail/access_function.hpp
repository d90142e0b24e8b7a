// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A hook as a function of accesses, for where many of them would make a function too long. What a call passes is what
/// it costs the assembler: the function finds the rows itself, and brings its lanes together again.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_ACCESS_FUNCTION_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_ACCESS_FUNCTION_HPP

#include <fmt/format.h>

#include <cstddef>
#include <pasta/instrument/ptx/detail/hook_kept.hpp>
#include <pasta/instrument/ptx/detail/lanes_here.hpp>
#include <pasta/instrument/ptx/detail/state_passing.hpp>
#include <pasta/instrument/ptx/hook.hpp>
#include <pasta/instrument/ptx/hooked_access.hpp>
#include <pasta/instrument/ptx/module_state.hpp>
#include <string>
#include <string_view>

namespace pasta::ptx::detail {

// Of a word, for an access's place among the module's counts of requests in order: there is memory for fewer.
inline constexpr std::uint32_t count_bits = 28;
static_assert(most_collected_bytes / counter_bytes < 1U << count_bits);

// Counts a request of a whole warp whose lanes access element after element; others go on.
inline std::string test_in_order(std::uint32_t first_count) {
  return fmt::format(
      "\tmov.b64 \t%pasta_kept, 0;\n"
      "\tld.param.b32 \t%pasta_elements, [pasta_q6];\n"
      "\tsetp.ne.u32 \t%pasta_adds, %pasta_elements, 0;\n"
      "\tsetp.eq.and.u32 \t%pasta_adds, %pasta_group, -1, %pasta_adds;\n"
      "\t@!%pasta_adds bra \t$pasta_unlike;\n"
      "\tmov.u32 \t%pasta_lane, %laneid;\n"
      "\tmul.wide.u32 \t%pasta_word, %pasta_lane, %pasta_size;\n"
      "\tsub.s64 \t%pasta_word, %pasta_address, %pasta_word;\n"
      "{compare}"
      "\tvote.sync.all.pred \t%pasta_adds, %pasta_adds, 0xffffffff;\n"
      "\t@!%pasta_adds bra \t$pasta_unlike;\n"
      "\tbfind.u32 \t%pasta_high, %pasta_size;\n"
      "\tand.b32 \t%pasta_low, %pasta_low, {last};\n"
      "\tshr.u32 \t%pasta_low, %pasta_low, %pasta_high;\n"
      "\tshr.u32 \t%pasta_high, %pasta_elements, {count_bits};\n"
      "\tand.b32 \t%pasta_elements, %pasta_elements, {last_count};\n"
      "\tmad.lo.u32 \t%pasta_low, %pasta_low, %pasta_high, %pasta_elements;\n"
      "\tmad.wide.u32 \t%pasta_counts, %pasta_low, {counter_bytes}, %pasta_at;\n"
      "\tand.b32 \t%pasta_other, %pasta_site, 31;\n"
      "\tsetp.eq.u32 \t%pasta_adds, %pasta_lane, %pasta_other;\n"
      "\t@%pasta_adds red.global.add.u64 \t[%pasta_counts+{first_count}], 1;\n"
      "\tbra \t$pasta_called;\n"
      "$pasta_unlike:\n",
      fmt::arg("compare", compare_with_lane_0), fmt::arg("last", pasta::detail::in_order_period - 1),
      fmt::arg("count_bits", count_bits), fmt::arg("last_count", (1U << count_bits) - 1),
      fmt::arg("counter_bytes", counter_bytes), fmt::arg("first_count", first_count));
}

inline std::string access_function(hook const& tool, std::string_view name, std::string_view state_name,
                                   row_places const& place, std::uint32_t first_count) {
  using enum pasta::detail::hook_abi_word;
  hook_operand const operands[] = {
      {"%pasta_address", false},    {"%pasta_size", false},     {"%pasta_kind", false},
      {"%pasta_space", false},      {"%pasta_site", false},     {"%pasta_row", false},
      {"%pasta_row_shared", false}, {"%pasta_function", false}, {"%pasta_function_shared", false},
      {"%pasta_keeps", false}};
  state_passing const state(tool);
  return fmt::format(
      ".func ({result}) {name}(.param .b64 pasta_q0, .param .b64 pasta_q1, .param .b32 pasta_q2, "
      ".param .b32 pasta_q3, .param .b32 pasta_q4, .param .b32 pasta_q5, .param .b32 pasta_q6{parameter})\n"
      "{{\n"
      "\t.reg .pred \t%pasta_adds;\n"
      "\t.reg .b32 \t%pasta_lane, %pasta_low, %pasta_high, %pasta_other, %pasta_lanes, %pasta_elements;\n"
      "\t.reg .b64 \t%pasta_word, %pasta_counts;\n"
      "\t.reg .b32 \t%pasta_size, %pasta_kind, %pasta_space, %pasta_site, %pasta_keeps, %pasta_group, %pasta_number;\n"
      "\t.reg .b64 \t%pasta_at, %pasta_shared, %pasta_address, %pasta_row, %pasta_row_shared, %pasta_function, "
      "%pasta_function_shared, %pasta_kept;\n"
      "{group}"
      "\tld.global.nc.u64 \t%pasta_shared, [{state}+{shared}];\n"
      "\tld.param.b64 \t%pasta_address, [pasta_q0];\n"
      "\tld.param.b64 \t%pasta_at, [pasta_q1];\n"
      "\tld.param.b32 \t%pasta_size, [pasta_q2];\n"
      "\tld.param.b32 \t%pasta_space, [pasta_q3];\n"
      "\tld.param.b32 \t%pasta_site, [pasta_q4];\n"
      "\tld.param.b32 \t%pasta_number, [pasta_q5];\n"
      "\tshr.u32 \t%pasta_keeps, %pasta_number, 31;\n"
      "\tbfe.u32 \t%pasta_kind, %pasta_number, 29, 2;\n"
      "\tand.b32 \t%pasta_number, %pasta_number, {last_function};\n"
      "\tmad.wide.u32 \t%pasta_row, %pasta_site, {site_shard}, %pasta_at;\n"
      "\tadd.s64 \t%pasta_row, %pasta_row, {sites_shard};\n"
      "\tmad.wide.u32 \t%pasta_row_shared, %pasta_site, {site_shared}, %pasta_shared;\n"
      "\tadd.s64 \t%pasta_row_shared, %pasta_row_shared, {sites_shared};\n"
      "\tmad.wide.u32 \t%pasta_function, %pasta_number, {function_shard}, %pasta_at;\n"
      "\tadd.s64 \t%pasta_function, %pasta_function, {functions_shard};\n"
      "\tmad.wide.u32 \t%pasta_function_shared, %pasta_number, {function_shared}, %pasta_shared;\n"
      "\tadd.s64 \t%pasta_function_shared, %pasta_function_shared, {functions_shared};\n"
      "{begin}"
      "{in_order}"
      "{body}"
      "$pasta_called:\n"
      "\tbar.warp.sync \t%pasta_group;\n"
      "{end}"
      "\tret;\n"
      "}}\n",
      fmt::arg("name", name), fmt::arg("group", lanes_here("%pasta_group")), fmt::arg("state", state_name),
      fmt::arg("shared", offsetof(module_state, shared)), fmt::arg("last_function", most_called_functions - 1),
      fmt::arg("site_shard", tool.word(abi_site_shard_bytes)), fmt::arg("sites_shard", place.sites_shard),
      fmt::arg("site_shared", tool.word(abi_site_shared_bytes)), fmt::arg("sites_shared", place.sites_shared),
      fmt::arg("function_shard", tool.word(abi_function_shard_bytes)),
      fmt::arg("functions_shard", place.functions_shard),
      fmt::arg("function_shared", tool.word(abi_function_shared_bytes)),
      fmt::arg("functions_shared", place.functions_shared), fmt::arg("in_order", test_in_order(first_count)),
      fmt::arg("body", tool.body(operands, 0)),
      fmt::arg("result", state.result.empty() ? ".param .b64 pasta_result" : state.result),
      fmt::arg("parameter", state.parameter.empty() ? "" : ", " + state.parameter), fmt::arg("begin", state.begin),
      fmt::arg("end", state.end.empty() ? "\tst.param.b64 \t[pasta_result], %pasta_kept;\n" : state.end));
}

/// Where an access's requests in order are counted: its place among the counts, and above that how far apart they are.
inline std::uint32_t in_order_word(hooked_access const& each) {
  return each.in_order == no_counts ? 0
                                    : each.in_order / counter_bytes | each.in_order_step / counter_bytes << count_bits;
}

/// @param in_order an in_order_word; 0: it is not tested
/// @param keeps a register that is 0 or 1, or nothing: the result is not wanted
inline std::string call_access_function(hook const& tool, std::string_view name, hooked_access const& each,
                                        std::uint32_t in_order, access_kind kind, std::uint32_t function,
                                        std::string_view keeps) {
  state_passing const state(tool);
  bool const has_state = !state.parameter.empty();
  std::uint32_t const number = static_cast<std::uint32_t>(kind) << 29 | function;
  std::string text, what = fmt::format("{:#x}", number), result;
  if (!keeps.empty()) {
    text = fmt::format("\tshl.b32 \t%pasta_low, {}, 31;\n\tor.b32 \t%pasta_low, %pasta_low, {};\n", keeps, what);
    what = "%pasta_low";
    result = "\tld.param.b64 \t%pasta_kept, [pasta_result];\n";
  }
  return fmt::format(
      "{}\t{{\n"
      "\t.param .b64 \tpasta_q0, pasta_q1{};\n"
      "\t.param .b32 \tpasta_q2, pasta_q3, pasta_q4, pasta_q5, pasta_q6;\n"
      "{}"
      "\tst.param.b64 \t[pasta_q0], %pasta_address;\n"
      "\tst.param.b64 \t[pasta_q1], %pasta_at;\n"
      "\tst.param.b32 \t[pasta_q2], {};\n"
      "\tst.param.b32 \t[pasta_q3], {};\n"
      "\tst.param.b32 \t[pasta_q4], {};\n"
      "\tst.param.b32 \t[pasta_q5], {};\n"
      "\tst.param.b32 \t[pasta_q6], {:#x};\n"
      "{}"
      "\tcall \t(pasta_result), {}, (pasta_q0, pasta_q1, pasta_q2, pasta_q3, pasta_q4, pasta_q5, pasta_q6{});\n"
      "{}"
      "\t}}\n",
      text, has_state ? "" : ", pasta_result",
      has_state ? fmt::format("\t{};\n\t{};\n", state.parameter, state.result) : "", each.size.text, each.space.text,
      each.row, what, in_order, state.pass, name, has_state ? ", pasta_state" : "",
      has_state ? state.take_back : result);
}

}  // namespace pasta::ptx::detail
#endif
