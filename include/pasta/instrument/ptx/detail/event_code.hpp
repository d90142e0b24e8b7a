// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The code of events other than memory accesses.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_EVENT_CODE_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_EVENT_CODE_HPP

#include <pasta/instrument/ptx/detail/event_arguments.hpp>
#include <pasta/instrument/ptx/detail/event_function.hpp>
#include <pasta/instrument/ptx/detail/hook_code.hpp>

namespace pasta::ptx::detail {

/// Runs a function of a tool's hook. @param number that no other body in the module has
inline std::string run_function(hook const& tool, std::size_t index, hook_function which, hook_places const& where,
                                std::vector<hook_operand> const& operands, std::size_t& number) {
  if (where.calls.empty()) return tool.body(operands, number++, which);
  return call_event_function(tool, event_function_name(where.calls[index], which), which, operands);
}

/// %pasta_function and %pasta_function_shared: the addresses of the function's rows.
inline std::string function_rows(hook const& tool, std::size_t index, hook_places const& where) {
  using enum pasta::detail::hook_abi_word;
  row_places const& place = where.rows[index];
  return fmt::format(
      "\tadd.s64 \t%pasta_function, %pasta_at, {};\n"
      "\tadd.s64 \t%pasta_function_shared, %pasta_shared, {};\n",
      place.functions_shard + std::uint64_t{where.function} * tool.word(abi_function_shard_bytes),
      place.functions_shared + std::uint64_t{where.function} * tool.word(abi_function_shared_bytes));
}

// Behind it %pasta_group are the lanes that run hooks together.
inline std::string begin_group(hook_places const& where) {
  return fmt::format("{}\tld.global.nc.u64 \t%pasta_shared, [{}+{}];\n", lanes_here("%pasta_group"), where.state_name,
                     offsetof(module_state, shared));
}
// Lanes may have come apart where one waited for a lock.
inline constexpr std::string_view end_group = "\tbar.warp.sync \t%pasta_group;\n";

/// Lanes with other values come in turn: what runs once for each stands between this and end_turn(), within the loop,
/// so that lanes meet behind it.
inline std::string begin_turn(std::vector<std::string> const& values, std::size_t number) {
  if (values.empty()) return {};
  std::string code = fmt::format(
      "$pasta_turn{}:\n"
      "{}"
      "\tbrev.b32 \t%pasta_low, %pasta_lanes;\n"
      "\tclz.b32 \t%pasta_low, %pasta_low;\n"
      "\tmov.b32 \t%pasta_high, 0;\n",
      number, lanes_here("%pasta_lanes"));
  for (std::string const& value : values) {
    fmt::format_to(std::back_inserter(code),
                   "\tshfl.sync.idx.b32 \t%pasta_other, {0}, %pasta_low, 0x1f, %pasta_lanes;\n"
                   "\txor.b32 \t%pasta_other, %pasta_other, {0};\n"
                   "\tor.b32 \t%pasta_high, %pasta_high, %pasta_other;\n",
                   value);
  }
  return code + fmt::format(
                    "\tsetp.ne.u32 \t%pasta_waits, %pasta_high, 0;\n"
                    "\t@%pasta_waits bra \t$pasta_others{};\n",
                    number);
}
inline std::string end_turn(std::vector<std::string> const& values, std::size_t number) {
  if (values.empty()) return {};
  return fmt::format("$pasta_others{0}:\n\t@%pasta_waits bra \t$pasta_turn{0};\n", number);
}

inline std::string code_of_event(hooked_event const& each, std::span<hook const> hooks, hook_places const& where,
                                 std::size_t& number) {
  using enum pasta::detail::hook_abi_word;
  std::size_t const past = number++;
  bool const parts_lanes = !each.skip.empty() || !each.alike.empty();
  std::string skip = each.skip;
  constexpr std::string_view label = "$pasta_past;";
  if (std::size_t const found = skip.find(label); found != std::string::npos)
    skip.replace(found, label.size(), fmt::format("$pasta_past{};", past));
  std::string code =
      fmt::format("\t{{\n{}{}{}{}{}{}{}", event_registers, parts_lanes ? lanes_here("%pasta_together") : "", skip,
                  if_collected(past), each.before, begin_turn(each.alike, past), begin_group(where));
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    if (!hooks[i].handles(each.event)) continue;
    row_places const& place = where.rows[i];
    fmt::format_to(std::back_inserter(code),
                   "\tadd.s64 \t%pasta_row, %pasta_at, {};\n"
                   "\tadd.s64 \t%pasta_row_shared, %pasta_shared, {};\n{}",
                   place.sites_shard + std::uint64_t{each.row} * hooks[i].word(abi_site_shard_bytes),
                   place.sites_shared + std::uint64_t{each.row} * hooks[i].word(abi_site_shared_bytes),
                   function_rows(hooks[i], i, where));
    std::vector<hook_operand> operands = each.operands;
    operands.push_back({fmt::format("{}", each.row), true});
    for (char const* name : {"%pasta_row", "%pasta_row_shared", "%pasta_function", "%pasta_function_shared"})
      operands.push_back({name, false});
    code += run_function(hooks[i], i, each.event, where, operands, number);
  }
  return fmt::format("{}{}{}\t}}\n$pasta_past{}:\n{}", code, end_group, end_turn(each.alike, past), past,
                     parts_lanes ? "\tbar.warp.sync \t%pasta_together;\n" : "");
}

/// A function of the tools' hooks that concerns the thread: thread_enter, thread_exit, fold. Any lanes may come.
inline std::string code_of_thread(hook_function which, std::span<hook const> hooks, hook_places const& where,
                                  std::size_t& number) {
  auto const is_wanted = [&](hook const& each) {
    return which == hook_function::fold ? each.has_state() : each.handles(which);
  };
  if (std::none_of(hooks.begin(), hooks.end(), is_wanted)) return {};
  std::size_t const past = number++;
  std::string code = if_collected(past) + begin_group(where);
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    if (!is_wanted(hooks[i])) continue;
    code += function_rows(hooks[i], i, where);
    code += run_function(hooks[i], i, which, where, {{"%pasta_function", false}, {"%pasta_function_shared", false}},
                         number);
  }
  return fmt::format("{}{}$pasta_past{}:\n", code, end_group, past);
}

/// Declares the registers of threads' states, and makes the states.
inline std::string begin_states(std::span<hook const> hooks, std::size_t& number) {
  std::string code;
  for (hook const& each : hooks) {
    if (!each.has_state()) continue;
    code += fmt::format("\t.reg .b32 \t{}<{}>;\n", each.state_register(), each.state_words());
    code += each.body({}, number++, hook_function::start);
  }
  return code;
}

}  // namespace pasta::ptx::detail
#endif
