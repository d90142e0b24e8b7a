// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_REGISTER_FIT_HPP
#define PASTA_TOOLS_PTXAS_REGISTER_FIT_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.hpp"
#include "figures.hpp"
#include "kernel_change.hpp"
#include "native_trial.hpp"
#include "settings.hpp"
#include "source_text.hpp"

namespace pasta::ptxas {

/// Keeps instrumented kernels to registers with which as many of their blocks run at once as natively, and says what
/// became of them. The originals are assembled beside the instrumented texts; only where a kernel takes too many are
/// these assembled once more, with a limit.
class register_fit {
 public:
  /// Starts to assemble the originals. Whatever keeps it from that is told with PASTA_DEBUG, and nothing is limited.
  register_fit(std::string const& ptxas, command_line const& line, std::span<source_text const> sources,
               settings const& wanted);

  /// Waits for the originals and puts limits into the instrumented texts.
  /// @param messages of the assembly without limits
  /// @return whether there are limits: the texts are to be assembled once more
  bool limit(std::string_view messages, std::vector<source_text>& sources);

  /// How the assembly of the originals was ended by someone, if it was.
  std::optional<program_result> const& interruption() const { return interruption_; }

  /// Tells of changed kernels, and reports all. @param messages of the last assembly
  /// @throws cli::command_error if PASTA_PTX_STRICT asks for that and the report cannot be written
  void tell(std::string_view messages, std::span<source_text const> sources);

 private:
  void debug(std::string_view line) const;
  std::vector<kernel_bounds> read_all_bounds(std::span<source_text const> sources) const;
  bool wants_bounds(std::span<kernel_figures const> native, std::span<kernel_figures const> instrumented) const;
  void report(std::span<source_text const> sources) const;

  settings const& wanted_;
  linking linking_;
  bool has_fixed_limit_;  // no directive has a say
  std::optional<native_trial> native_;
  std::optional<program_result> interruption_;
  std::vector<kernel_change> changes_;
};

}  // namespace pasta::ptxas
#endif
