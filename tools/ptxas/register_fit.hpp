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

/// A kernel that natively takes more has little room for what PASTA keeps in registers from its begin to its end: 16
/// counters of 64 bits, five words for each of 3 accesses, the shard's address, the lane's number.
inline constexpr std::uint32_t most_registers_with_room = 255 - (16 * 2 + 3 * 5 + 2 + 1);

/// Keeps instrumented kernels to registers with which as many of their blocks run at once as natively, and says what
/// became of them. The originals are assembled while they are instrumented, kernels that are likely to take too many
/// registers get a limit, and should another one do so the texts are assembled once more.
class register_fit {
 public:
  /// Starts to assemble the originals. Whatever keeps it from that is told with PASTA_DEBUG, and nothing is limited.
  register_fit(std::string const& ptxas, command_line const& line, std::span<source_text const> sources,
               settings const& wanted);

  /// Ends the assembly of the originals, whose figures are not wanted.
  void stop() { native_.reset(); }

  /// Waits for the originals, instruments those with kernels near the most registers once more, to keep little in them,
  /// and puts limits into the instrumented texts.
  void limit_likely(std::vector<source_text>& sources);

  /// Puts limits in where they are missing. @param messages of the assembly
  /// @return whether there are more: the texts are to be assembled once more
  bool limit_others(std::string_view messages, std::vector<source_text>& sources);

  /// Takes all limits away, as ptxas refused the texts with them. @param refusal what it said, for the report
  /// @return whether there were any: the texts are to be assembled once more
  bool lift_limits(std::string const& refusal, std::vector<source_text>& sources);

  /// Whether each launch that has room natively has room, as the texts were last assembled.
  bool keeps_launches() const;

  /// How the assembly of the originals was ended by someone, if it was.
  std::optional<program_result> const& interruption() const { return interruption_; }

  /// Tells of changed kernels, and reports all, as they were last assembled.
  /// @throws cli::command_error if PASTA_PTX_STRICT asks for that and the report cannot be written
  void tell(std::span<source_text const> sources) const;

  /// Takes the figures of an assembly.
  void read(std::string_view messages);

 private:
  void debug(std::string_view line) const;
  std::vector<kernel_bounds> read_all_bounds(std::span<source_text const> sources) const;
  bool put_limits(std::vector<source_text>& sources);
  void spare_registers(std::span<kernel_figures const> native, std::vector<source_text>& sources) const;
  void report(std::span<source_text const> sources) const;

  settings const& wanted_;
  linking linking_;
  bool has_fixed_limit_;  // no directive has a say
  std::optional<native_trial> native_;
  std::optional<program_result> interruption_;
  std::vector<kernel_change> changes_;
  std::vector<std::string> unlimited_;  // the texts before they had limits, by source; empty: they have none
};

}  // namespace pasta::ptxas
#endif
