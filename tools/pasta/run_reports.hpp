// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_RUN_REPORTS_HPP
#define PASTA_TOOLS_PASTA_RUN_REPORTS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "process.hpp"
#include "run_options.hpp"

namespace pasta::cli {

/// The file in which attached processes say what they write (PASTA_REPORT_INDEX). Removed at the end of its life.
class report_index {
 public:
  report_index();  ///< @throws command_error
  ~report_index();
  report_index(report_index const&) = delete;
  report_index& operator=(report_index const&) = delete;

  std::string const& path() const { return path_; }

  /// What became of one report: the last thing that a process said about it.
  struct entry {
    std::string state;  ///< "attach", "complete", "incomplete", "failed"
    pid_t pid = 0;
    std::string path;
    std::string reason;
  };

  /// One entry for each process and path, in the order of their attaching.
  std::vector<entry> read() const;

 private:
  std::string path_;
};

/// What is known about a run when the program has ended.
struct run_outcome {
  program_end end;
  std::string date;  ///< of its start, ISO 8601, UTC
  std::optional<double> slowdown;
};

enum class reports_state : std::uint8_t { good, failed };

/// Completes the reports that the index names (one that a process left unwritten is made here, marked incomplete),
/// prints their text and then their paths on stderr.
reports_state finish_reports(report_index const& index, run_options const& options, run_outcome const& outcome);

}  // namespace pasta::cli
#endif
