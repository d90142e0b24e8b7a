// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_REPORT_SAMPLING_HPP
#define PASTA_REPORT_SAMPLING_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace pasta {

/// How much of a kernel was analysed, where `--sampling-rate` or `--sample-blocks` left some out, and what all of it
/// would have had. docs/measuring.md has the formulas.
struct sampling {
  std::uint64_t launches_offered = 0;  ///< that the rate was to choose from
  std::uint64_t launches_taken = 0;
  double block_rate = 1;             ///< that was asked for
  std::uint64_t blocks_offered = 0;  ///< of the launches taken; 0: blocks were not sampled
  std::uint64_t blocks_taken = 0;
  /// What a count of this kernel is multiplied by to estimate that of all offered launches; 0: nothing was taken, and
  /// nothing is known.
  double scale = 1;
  double events = 0;                   ///< estimate of all events of sites, one for each lane
  std::optional<double> events_error;  ///< its standard error; empty: one part of the sample tells nothing of it
};

/// A part of a sample: launches dealt out in turn, or blocks by their hash.
struct sample_part {
  double units = 0;   ///< launches, or blocks
  double events = 0;  ///< in them
};

/// In how many parts a sample is dealt.
inline constexpr std::uint32_t sample_part_count = 8;

/// Fills in the estimate: what was counted, times what was offered over what was taken; its error from how much the
/// parts' mean events differ (random groups). @param of with launches and blocks @param parts of all that was taken
inline void estimate(sampling& of, std::vector<sample_part> const& parts) {
  double units = 0, events = 0, groups = 0;
  for (sample_part const& part : parts) {
    if (part.units <= 0) continue;
    units += part.units;
    events += part.events;
    ++groups;
  }
  auto const share = [](std::uint64_t taken, std::uint64_t offered) {
    return offered == 0 ? 1.0 : static_cast<double>(taken) / static_cast<double>(offered);
  };
  double const fraction = share(of.launches_taken, of.launches_offered) * share(of.blocks_taken, of.blocks_offered);
  of.scale = fraction > 0 ? 1 / fraction : 0;
  of.events = of.scale * events;
  of.events_error.reset();
  if (fraction >= 1 && units > 0) of.events_error = 0;
  if (fraction >= 1 || groups < 2) return;
  double squares = 0;
  for (sample_part const& part : parts) {
    double const off = part.units <= 0 ? 0 : part.events - events / units * part.units;
    squares += off * off;
  }
  of.events_error = of.scale * std::sqrt((1 - fraction) * groups / (groups - 1) * squares);
}

}  // namespace pasta
#endif
