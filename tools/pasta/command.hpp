// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_COMMAND_HPP
#define PASTA_TOOLS_PASTA_COMMAND_HPP

#include <stdexcept>
#include <string>
#include <vector>

namespace pasta::cli {

/// The exit codes of docs/architecture.md.
inline constexpr int exit_done = 0;
inline constexpr int exit_different = 1;  // pasta diff
inline constexpr int exit_usage = 2;
inline constexpr int exit_own_error = 125;
inline constexpr int exit_not_executable = 126;
inline constexpr int exit_not_found = 127;

/// What the user asked for does not exist or makes no sense: exit code 2. what() is one line.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What was asked for cannot be done here: exit code 125 unless another is given. what() is one line.
struct command_error : std::runtime_error {
  explicit command_error(std::string const& line, int code = exit_own_error)
      : std::runtime_error(line), exit_code(code) {}
  int exit_code;
};

/// The words after the subcommand's name.
using arguments = std::vector<std::string>;

// One function for each subcommand, in the file of its name. @return the exit code
int run_list(arguments const& words);
int run_run(arguments const& words);
int run_show(arguments const& words);
int run_diff(arguments const& words);
int run_new(arguments const& words);
int run_doctor(arguments const& words);
int run_nvcc(arguments const& words);
int run_clang(arguments const& words);
int run_hipcc(arguments const& words);

}  // namespace pasta::cli
#endif
