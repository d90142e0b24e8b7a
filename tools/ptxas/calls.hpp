// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_CALLS_HPP
#define PASTA_TOOLS_PTXAS_CALLS_HPP

#include <span>
#include <string>
#include <vector>

#include "call.hpp"
#include "command_line.hpp"
#include "memory_file.hpp"
#include "source_text.hpp"

namespace pasta::ptxas {

/// Makes the calls of ptxas that stand for the user's: with the originals, and with the instrumented texts.
class calls {
 public:
  /// The arguments must outlive this.
  calls(std::string const& ptxas, std::vector<std::string> const& words, command_line const& line)
      : ptxas_(&ptxas), words_(&words), line_(&line) {}

  /// What is read from pipes, and what was kept of marked texts, stands for its input. @param sources must outlive it
  call original(std::span<source_text const> sources) const;

  /// With -v, for the figures. @param sources and this must outlive it @throws std::system_error
  call instrumented(std::span<source_text const> sources);

 private:
  call make(std::span<source_text const> sources, std::vector<memory_file const*> const& replacements) const;

  std::string const* ptxas_;
  std::vector<std::string> const* words_;
  command_line const* line_;
  std::vector<memory_file> strings_;  // strings that are not instrumented beside one that is
};

}  // namespace pasta::ptxas
#endif
