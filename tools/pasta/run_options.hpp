// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_RUN_OPTIONS_HPP
#define PASTA_TOOLS_PASTA_RUN_OPTIONS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "installed_tools.hpp"

namespace pasta::cli {

/// What `pasta run` was asked to do.
struct run_options {
  std::vector<std::string> tools;  ///< as given, split at , and +
  std::vector<std::pair<std::string, std::string>>
      tool_options;  ///< "sector-bytes" or "coalescing.sector-bytes", value
  // "": not given
  std::string route, output, per, times, sampling_rate, sample_blocks, seed, kernels, exclude, launches, schedule,
      devices, spaces, warp_width, threads;
  bool is_strict = false, is_quiet = false, measures_baseline = false;
  std::vector<std::string> command;
};

/// @return empty if help was shown. @throws usage_error
std::optional<run_options> parse_run_options(arguments const& words, installed_tools const& installed);

/// "a", "b" as "a+b".
std::string joined(std::vector<std::string> const& names, char const* separator);

}  // namespace pasta::cli
#endif
