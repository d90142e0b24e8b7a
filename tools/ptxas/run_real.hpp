// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Starting the vendor's program.
#ifndef PASTA_TOOLS_PTXAS_RUN_REAL_HPP
#define PASTA_TOOLS_PTXAS_RUN_REAL_HPP

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include <command.hpp>

#include "memory_file.hpp"

namespace pasta::ptxas {

/// A program that cannot be started.
struct cannot_start : cli::command_error {
  using cli::command_error::command_error;
};

/// Where a child's standard error goes.
enum class messages : std::uint8_t { to_standard_error, to_result };

struct program {
  std::string path;
  std::vector<std::string> words;  ///< behind the program's name
  std::vector<int> descriptors;    ///< that it inherits under the same numbers
  int standard_input = -1;         ///< a descriptor; -1: that of this process
};

struct program_result {
  int wait_status = 0;      ///< as from waitpid
  int received_signal = 0;  ///< that this process got meanwhile and passed on; 0: none
  std::string messages;     ///< standard error, if it goes here
  bool is_success() const { return wait_status == 0 && received_signal == 0; }
};

/// Runs a program to its end. SIGINT, SIGQUIT, SIGTERM and SIGHUP are passed on to it meanwhile, unless they were
/// ignored. @throws cannot_start: exit code 127 if it is not found, 126 if it cannot be executed, 125 else
program_result run(program const& what, messages where);

/// A program that runs beside others, for what it says and writes. Its end is waited for, or it is ended.
class side_run {
 public:
  /// @param output gets its standard output, @param error its standard error; both outlive this
  /// @throws cannot_start as run()
  side_run(program const& what, memory_file const& output, memory_file const& error);
  ~side_run();
  side_run(side_run const&) = delete;
  side_run& operator=(side_run const&) = delete;

  /// To its end, as run() does. Once.
  program_result wait();

 private:
  pid_t child_ = 0;
  memory_file const* error_;
};

/// Becomes the program. @throws cannot_start as run()
[[noreturn]] void become(program const& what);

/// Opens /dev/null in the place of standard streams that are closed, until something else is started: no other file of
/// this process may get their numbers.
void fill_standard_streams();

/// Counts this program among those that lead to one another, in the environment of what it starts.
/// @param name `ptxas`, `nvlink`
/// @throws cli::command_error if it was started by itself: the ptxas that it found leads back to it
void enter_chain(std::string const& name);

}  // namespace pasta::ptxas
#endif
