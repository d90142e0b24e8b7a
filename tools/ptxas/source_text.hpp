// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_SOURCE_TEXT_HPP
#define PASTA_TOOLS_PTXAS_SOURCE_TEXT_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "memory_file.hpp"
#include "rewrite.hpp"
#include "settings.hpp"

namespace pasta::ptxas {

enum class source_state : std::uint8_t {
  instrumented,  ///< by this process
  marked,        ///< its text has the marker
  read,          ///< it is to be instrumented
  not_instrumented
};

/// An input of ptxas, read, and what became of it.
struct source_text {
  ptxas::input input;
  source_state state = source_state::not_instrumented;
  std::string text;    ///< as it is without instrumentation, if that is known: of a marked one what was kept
  std::string reason;  ///< why it is not instrumented
  std::vector<std::string> warnings;
  std::optional<memory_file> stream;        ///< what was read from a pipe: it cannot be read again
  std::optional<memory_file> instrumented;  ///< in state instrumented
  std::optional<memory_file> original;      ///< its file has the marker already: the text before, if it was kept

  bool is_to_be_instrumented() const { return state == source_state::read || original; }
  bool is_regular_file() const { return input.kind == input_kind::file && !stream; }
};

/// Whether ptxas can read an input. What it cannot read is left to it, with its own message.
bool is_readable(input const& what);

/// Reads an input, and its original where another call put an instrumented text in its place: what fits one GPU's
/// registers may not fit another's. What goes wrong is the result's reason.
/// @throws cli::command_error if the text has the marker of another version or of other tools
source_text read_source(input const& what, settings const& wanted);

/// Instruments what is to be instrumented. Whatever goes wrong is its reason.
/// @param short_of_registers functions that keep at most 16 bytes in registers
void instrument(source_text& source, settings const& wanted, std::vector<std::string> const& short_of_registers = {});

/// Puts the instrumented text into the place of its file, and before that the original into the folder for those.
/// @throws report_error
void put_in_place(source_text const& source, settings const& wanted);

}  // namespace pasta::ptxas
#endif
