// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include <pasta/report/visible.hpp>
#include <pasta/report/write_file.hpp>
#include "command.hpp"

namespace pasta::cli {

namespace {

constexpr std::array<int, 5> changed_signals{SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE};
std::array<struct sigaction, changed_signals.size()> inherited_actions;

volatile std::sig_atomic_t running_program = 0;

void pass_on(int signal) {
  int const error = errno;
  if (running_program > 0) ::kill(static_cast<pid_t>(running_program), signal);
  errno = error;
}

/// SIGINT and SIGQUIT ignored, SIGTERM and SIGHUP passed on, for the time of its life; what was ignored from the start
/// stays so.
class signals_while_waiting {
 public:
  signals_while_waiting() {
    for (std::size_t i = 0; i < 4; ++i) {
      struct sigaction action {};
      action.sa_handler = i < 2 ? SIG_IGN : pass_on;
      action.sa_flags = SA_RESTART;
      if (inherited_actions[i].sa_handler != SIG_IGN) ::sigaction(changed_signals[i], &action, nullptr);
    }
  }
  ~signals_while_waiting() {
    for (std::size_t i = 0; i < 4; ++i) ::sigaction(changed_signals[i], &inherited_actions[i], nullptr);
  }
  signals_while_waiting(signals_while_waiting const&) = delete;
  signals_while_waiting& operator=(signals_while_waiting const&) = delete;
};

/// SIGTERM and SIGHUP wait while the program's number is not known.
class blocked_signals {
 public:
  blocked_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, &before_);
  }
  ~blocked_signals() { restore(); }
  void restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  blocked_signals(blocked_signals const&) = delete;
  blocked_signals& operator=(blocked_signals const&) = delete;

 private:
  sigset_t before_{};
};

/// Whether a file is meant for the kernel alone. What is not, and has no "#!" line, is a script for the shell.
bool is_machine_code(char const* path) {
  int const descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
  std::array<char, 4> start{};
  bool const has_start =
      descriptor >= 0 && ::read(descriptor, start.data(), start.size()) == static_cast<ssize_t>(start.size());
  if (descriptor >= 0) ::close(descriptor);
  return has_start && std::memcmp(start.data(),
                                  "\x7f"
                                  "ELF",
                                  start.size()) == 0;
}

void apply(environment_changes const& environment) {
  for (auto const& [name, value] : environment) {
    if (value) {
      ::setenv(name.c_str(), value->c_str(), 1);
    } else {
      ::unsetenv(name.c_str());
    }
  }
}

void restore_signals() {
  for (std::size_t i = 0; i < changed_signals.size(); ++i)
    ::sigaction(changed_signals[i], &inherited_actions[i], nullptr);
}

/// @return errno
int execute(std::string const& program, std::vector<std::string> const& command) {
  std::vector<char*> values;
  values.reserve(command.size() + 1);
  for (std::string const& word : command) values.push_back(const_cast<char*>(word.c_str()));
  values.push_back(nullptr);
  ::execv(program.c_str(), values.data());
  if (errno == ENOEXEC && !is_machine_code(program.c_str())) {
    ::execvp(values[0], values.data());  // which hands it to the shell
  }
  return errno;
}

[[noreturn]] void become_child(std::string const& program, std::vector<std::string> const& command,
                               environment_changes const& environment, standard_streams streams, int error_pipe) {
  restore_signals();
  apply(environment);
  if (streams == standard_streams::null) {
    int const null = ::open("/dev/null", O_RDWR);
    for (int descriptor = 0; descriptor < 3; ++descriptor) ::dup2(null, descriptor);
    if (null > 2) ::close(null);
  }
  int const error = execute(program, command);
  ssize_t const written = ::write(error_pipe, &error, sizeof error);
  static_cast<void>(written);
  ::_exit(exit_own_error);
}

[[noreturn]] void fail_to_start(std::string const& name, int error) {
  int const code = error == ENOENT ? exit_not_found : exit_not_executable;
  throw command_error(fmt::format("cannot run {}: {}", visible(name), std::generic_category().message(error)), code);
}

/// What execv says of a file that is there.
[[noreturn]] void fail_to_execute(std::string const& name, int error) {
  if (error == ENOENT && name.find('/') != std::string::npos) {
    throw command_error(fmt::format("cannot run {}: the interpreter that it names was not found", visible(name)),
                        exit_not_found);
  }
  fail_to_start(name, error);
}

bool is_executable_file(std::string const& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

void remember_signals() {
  for (std::size_t i = 0; i < changed_signals.size(); ++i)
    ::sigaction(changed_signals[i], nullptr, &inherited_actions[i]);
}

std::string find_program(std::string const& name) {
  if (name.empty()) throw command_error("the program's name is empty", exit_not_found);
  if (name.find('/') != std::string::npos) {
    struct stat status {};
    if (::stat(name.c_str(), &status) != 0) fail_to_start(name, errno == ENOTDIR ? ENOENT : errno);
    if (S_ISDIR(status.st_mode)) {
      throw command_error(fmt::format("cannot run {}: it is a folder", visible(name)), exit_not_executable);
    }
    if (::access(name.c_str(), X_OK) != 0) fail_to_start(name, EACCES);
    return name;
  }
  char const* const variable = std::getenv("PATH");
  std::string const path = variable == nullptr ? "/bin:/usr/bin" : variable;
  bool exists = false;
  for (std::size_t start = 0; start <= path.size();) {
    std::size_t const end = std::min(path.find(':', start), path.size());
    std::string const folder = path.substr(start, end - start);
    std::string candidate = folder.empty() ? "./" + name : folder + "/" + name;
    if (is_executable_file(candidate)) return candidate;
    struct stat status {};
    exists = exists || (::stat(candidate.c_str(), &status) == 0 && S_ISREG(status.st_mode));
    start = end + 1;
  }
  if (exists) fail_to_start(name, EACCES);
  std::string hint;
  if (is_executable_file("./" + name)) hint = fmt::format("; did you mean ./{}?", visible(name));
  throw command_error(fmt::format("cannot run {}: not found in PATH{}", visible(name), hint), exit_not_found);
}

program_end run_program(std::vector<std::string> const& command, environment_changes const& environment,
                        standard_streams streams) {
  std::string const program = find_program(command.front());
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw command_error(fmt::format("cannot make a pipe: {}", std::generic_category().message(errno)));
  }
  detail::open_file read_end(ends[0]);
  detail::open_file write_end(ends[1]);

  program_end end;
  signals_while_waiting const signals;
  auto const start = std::chrono::steady_clock::now();
  {
    blocked_signals const blocked;
    end.pid = ::fork();
    if (end.pid == 0) {
      // Handlers first: a signal that waited must meet the program's own disposition, not ours.
      restore_signals();
      blocked.restore();
      become_child(program, command, environment, streams, write_end.descriptor());
    }
    if (end.pid < 0) throw command_error(fmt::format("cannot fork: {}", std::generic_category().message(errno)));
    running_program = end.pid;
  }
  write_end.close();
  int error = 0;
  ssize_t count = 0;
  do {
    count = ::read(read_end.descriptor(), &error, sizeof error);
  } while (count < 0 && errno == EINTR);

  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(end.pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  auto const stop = std::chrono::steady_clock::now();
  {
    // Between the two lines its number could be given to another process, and a signal passed on to that.
    blocked_signals const blocked;
    running_program = 0;
    while (::waitpid(end.pid, &end.wait_status, 0) < 0 && errno == EINTR) {
    }
  }
  if (count == sizeof error) fail_to_execute(command[0], error);
  end.wall_ns = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(stop - start).count());
  return end;
}

void become_program(std::vector<std::string> const& command, environment_changes const& environment) {
  std::string const program = find_program(command.front());
  restore_signals();
  apply(environment);
  fail_to_execute(command.front(), execute(program, command));
}

std::string signal_name(int signal) {
  char const* const name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string describe_end(int wait_status) {
  if (WIFSIGNALED(wait_status)) return fmt::format("killed by {}", signal_name(WTERMSIG(wait_status)));
  return fmt::format("it ended with status {}", WEXITSTATUS(wait_status));
}

int end_as(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return WEXITSTATUS(wait_status);
  int const signal = WTERMSIG(wait_status);
  // The program has left its core; pasta's would hide it.
  rlimit const no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::prctl(PR_SET_DUMPABLE, 0);
  std::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  ::kill(::getpid(), signal);
  return 128 + signal;
}

}  // namespace pasta::cli
