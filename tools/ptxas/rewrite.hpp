// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_REWRITE_HPP
#define PASTA_TOOLS_PTXAS_REWRITE_HPP

#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptxas {

struct rewrite_options {
  std::vector<std::string> tools;                    ///< each one of known_tools()
  std::vector<std::string> short_of_registers = {};  ///< functions that keep at most 16 bytes in registers
};

struct rewritten {
  std::string text;                   ///< instrumented and marked; the source if it is not
  std::vector<std::string> warnings;  ///< for the user, a line each
  bool is_instrumented = false;
  std::string reason;  ///< why it is not instrumented, one line
};

/// The tools that PTX can be instrumented with, in alphabetical order: those with a hook, and those that need none.
std::vector<std::string> known_tools();

/// Instruments a module's text. A text with the marker of the same tools comes back as it is; with another marker it is
/// not instrumented. @throws std::bad_alloc
rewritten rewrite(std::string_view source, rewrite_options const& options);

}  // namespace pasta::ptxas
#endif
