// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_CALL_HPP
#define PASTA_TOOLS_PTXAS_CALL_HPP

#include <string>
#include <string_view>
#include <vector>

#include "run_real.hpp"
#include "source_text.hpp"

namespace pasta::ptxas {

/// A call of ptxas on other files than the user's.
struct call {
  /// A file that stands for another.
  struct replaced_file {
    std::string passed, shown;
    source_text const* instrumented = nullptr;  ///< whose text it is; null: lines are those of the user's file
  };
  ptxas::program program;
  std::vector<replaced_file> files;

  /// ptxas's messages with the names and the lines of the user's files. What is said of a line that was put in names
  /// the line that it stands before, and says so.
  std::string as_for_originals(std::string_view messages) const;
};

/// The line of ptxas's messages that says best why it failed.
std::string first_error(std::string_view messages);

}  // namespace pasta::ptxas
#endif
