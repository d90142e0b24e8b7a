// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A hook's functions for other events than memory accesses as functions of the module, for where many would make a
/// function too long.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_EVENT_FUNCTION_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_EVENT_FUNCTION_HPP

#include <fmt/format.h>

#include <pasta/instrument/ptx/detail/state_passing.hpp>
#include <pasta/instrument/ptx/hook.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptx::detail {

/// Its name in the module. @param base that of memory_access
inline std::string event_function_name(std::string_view base, hook_function which) {
  return fmt::format("{}_{}", base, to_string(which));
}

inline std::string event_function(hook const& tool, std::string_view name, hook_function which) {
  auto const [count, bytes] = pasta::detail::parameters_of(which);
  state_passing const state(tool);
  std::vector<hook_operand> operands;
  operands.reserve(count);
  std::string head, loads;
  for (std::size_t i = 0; i < count; ++i) {
    fmt::format_to(std::back_inserter(head), "{}.param .b{} pasta_q{}", i == 0 ? "" : ", ", 8 * bytes[i], i);
    fmt::format_to(std::back_inserter(loads),
                   "\t.reg .b{0} \t%pasta_q{1};\n\tld.param.b{0} \t%pasta_q{1}, [pasta_q{1}];\n", 8 * bytes[i], i);
    operands.push_back({fmt::format("%pasta_q{}", i), false});
  }
  if (!state.parameter.empty()) head += ", " + state.parameter;
  return fmt::format(".func {}{}({})\n{{\n{}{}{}{}\tret;\n}}\n",
                     state.result.empty() ? "" : fmt::format("({}) ", state.result), name, head, loads, state.begin,
                     tool.body(operands, 0, which), state.end);
}

/// @param operands the function's parameters, in order
inline std::string call_event_function(hook const& tool, std::string_view name, hook_function which,
                                       std::vector<hook_operand> const& operands) {
  auto const [count, bytes] = pasta::detail::parameters_of(which);
  state_passing const state(tool);
  std::string declared, stores, names;
  for (std::size_t i = 0; i < count; ++i) {
    fmt::format_to(std::back_inserter(declared), "\t.param .b{} \tpasta_q{};\n", 8 * bytes[i], i);
    fmt::format_to(std::back_inserter(stores), "\tst.param.b{} \t[pasta_q{}], {};\n", 8 * bytes[i], i,
                   operands[i].text);
    fmt::format_to(std::back_inserter(names), "{}pasta_q{}", i == 0 ? "" : ", ", i);
  }
  bool const has_state = !state.parameter.empty();
  if (has_state) declared += fmt::format("\t{};\n\t{};\n", state.parameter, state.result), names += ", pasta_state";
  return fmt::format("\t{{\n{}{}{}\tcall \t{}{}, ({});\n{}\t}}\n", declared, stores, state.pass,
                     has_state ? "(pasta_result), " : "", name, names, state.take_back);
}

}  // namespace pasta::ptx::detail
#endif
