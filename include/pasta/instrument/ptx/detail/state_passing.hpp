// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_STATE_PASSING_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_STATE_PASSING_HPP

#include <fmt/format.h>

#include <pasta/instrument/ptx/hook.hpp>
#include <string>

namespace pasta::ptx::detail {

/// How a hook that is a function of the module takes a thread's state and returns it. All empty for a tool without one.
struct state_passing {
  std::string parameter, result;  ///< as they are declared
  std::string begin, end;         ///< code of the function
  std::string pass, take_back;    ///< code of the caller, around the call

  explicit state_passing(hook const& tool) {
    if (!tool.has_state()) return;
    std::string const name = tool.state_register();
    parameter = fmt::format(".param .align 4 .b8 pasta_state[{}]", 4 * tool.state_words());
    result = fmt::format(".param .align 4 .b8 pasta_result[{}]", 4 * tool.state_words());
    begin = fmt::format("\t.reg .b32 \t{}<{}>;\n", name, tool.state_words());
    for (std::uint32_t i = 0; i < tool.state_words(); ++i) {
      begin += fmt::format("\tld.param.b32 \t{}{}, [pasta_state+{}];\n", name, i, 4 * i);
      end += fmt::format("\tst.param.b32 \t[pasta_result+{}], {}{};\n", 4 * i, name, i);
      pass += fmt::format("\tst.param.b32 \t[pasta_state+{}], {}{};\n", 4 * i, name, i);
      take_back += fmt::format("\tld.param.b32 \t{}{}, [pasta_result+{}];\n", name, i, 4 * i);
    }
  }
};

}  // namespace pasta::ptx::detail
#endif
