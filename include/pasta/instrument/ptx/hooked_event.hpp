// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_HOOKED_EVENT_HPP
#define PASTA_INSTRUMENT_PTX_HOOKED_EVENT_HPP

#include <cstddef>
#include <pasta/instrument/ptx/hooked_access.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptx {

/// An event with a site, other than a memory access, that a handler wants.
struct hooked_event {
  hook_function event = hook_function::barrier;
  std::size_t statement = 0;
  std::size_t place = 0;               ///< the statement that the handler runs before: of a call its first argument
  std::uint32_t row = no_row;          ///< in the module
  std::string_view why;                ///< it reaches no handler, and has no row
  std::string skip;                    ///< code that leads past the hooks where the guard does not hold
  std::string before;                  ///< code that makes the operands
  std::vector<hook_operand> operands;  ///< of the hook, up to the site's number
  std::vector<std::string> alike;      ///< registers of 32 bits that are the same for lanes of one event
};

/// A tool whose thread_state does not fit into a function's registers: it gets nothing of that function.
struct left_out_tool {
  std::string tool, why;
};

}  // namespace pasta::ptx
#endif
