// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_PROCESS_HPP
#define PASTA_TOOLS_PASTA_PROCESS_HPP

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pasta::cli {

/// Variables to set in a program's environment; an empty value takes the variable away.
using environment_changes = std::vector<std::pair<std::string, std::optional<std::string>>>;

enum class standard_streams : std::uint8_t { inherited, null };

/// How a program ended.
struct program_end {
  pid_t pid = 0;
  int wait_status = 0;        ///< as from waitpid
  std::uint64_t wall_ns = 0;  ///< from its start to its end
};

/// Keeps the signal dispositions that pasta was started with, for the programs that it starts. Call first in main.
void remember_signals();

/// The file that a command name means, by PATH as execvp does.
/// @throws command_error: exit code 127 if there is none, 126 if it cannot be executed
std::string find_program(std::string const& name);

/// Runs a program to its end, in pasta's process group, with the signal dispositions that pasta was started with.
/// Meanwhile SIGINT and SIGQUIT are ignored (a terminal sends them to the program too), SIGTERM and SIGHUP are passed
/// on.
/// @throws command_error: exit code 127 if the program is not found, 126 if it cannot be executed, 125 if fork fails
program_end run_program(std::vector<std::string> const& command, environment_changes const& environment,
                        standard_streams streams);

/// Becomes a program, with the signal dispositions that pasta was started with.
/// @throws command_error as run_program
[[noreturn]] void become_program(std::vector<std::string> const& command, environment_changes const& environment);

/// "SIGSEGV"
std::string signal_name(int signal);

/// "killed by SIGKILL" or "it ended with status 3"
std::string describe_end(int wait_status);

/// The status of pasta for a program's: the same; if the program died of a signal, pasta does not return but dies of it
/// too.
int end_as(int wait_status);

}  // namespace pasta::cli
#endif
