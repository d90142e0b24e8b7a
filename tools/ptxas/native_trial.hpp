// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_NATIVE_TRIAL_HPP
#define PASTA_TOOLS_PTXAS_NATIVE_TRIAL_HPP

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "figures.hpp"
#include "memory_file.hpp"
#include "run_real.hpp"
#include "source_text.hpp"

namespace pasta::ptxas {

/// Assembles the originals beside everything else, with the same options and for their figures only: what it writes
/// stays in memory.
class native_trial {
 public:
  /// @throws cannot_start, std::system_error
  native_trial(std::string const& ptxas, command_line const& line, std::span<source_text const> sources);

  /// Waits for its end. Once. @return also how it ended: it is no one's fault if it fails
  std::pair<program_result, std::vector<kernel_figures>> finish(linking how);

 private:
  // Not the user's files: another call may put an instrumented text into the place of one.
  std::vector<memory_file> texts_;
  memory_file output_, error_;
  std::optional<side_run> run_;
};

}  // namespace pasta::ptxas
#endif
