// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "run_real.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include <pasta/report/visible.hpp>
#include <pasta/report/write_file.hpp>

namespace pasta::ptxas {

namespace {

constexpr std::array<int, 4> passed_signals{SIGINT, SIGQUIT, SIGTERM, SIGHUP};

[[noreturn]] void fail_to_start(std::string const& path, int error) {
  int const code = error == ENOENT ? cli::exit_not_found : cli::exit_not_executable;
  throw cannot_start(fmt::format("cannot run {}: {}", visible(path), std::generic_category().message(error)), code);
}

[[noreturn]] void fail(char const* what, int error) {
  throw cannot_start(fmt::format("{}: {}", what, std::generic_category().message(error)));
}

std::vector<char*> make_arguments(program const& what) {
  std::vector<char*> arguments{const_cast<char*>(what.path.c_str())};
  for (std::string const& word : what.words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

/// Signals as data: blocked, and read from a descriptor, as long as this lives.
class signal_reader {
 public:
  signal_reader() : descriptor_(-1) {
    // An ignored SIGCHLD would take the child's status away.
    ::signal(SIGCHLD, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (int const signal : passed_signals) {
      struct sigaction action {};
      if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&set, signal);
    }
    sigprocmask(SIG_BLOCK, &set, &before_);
    descriptor_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor_ < 0) fail("cannot receive signals", errno);
  }
  ~signal_reader() {
    ::close(descriptor_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  signal_reader(signal_reader const&) = delete;
  signal_reader& operator=(signal_reader const&) = delete;

  int descriptor() const { return descriptor_; }
  sigset_t const& mask_before() const { return before_; }

  /// @return the next signal, 0 if none waits
  int read() const {
    signalfd_siginfo info{};
    return ::read(descriptor_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
  }

 private:
  int descriptor_;
  sigset_t before_{};
};

/// What a child has of this process.
class spawn_plan {
 public:
  spawn_plan(program const& what, sigset_t const& mask) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes_, &mask);
    // A descriptor put onto itself is inherited.
    for (int const descriptor : what.descriptors) add(descriptor, descriptor);
    if (what.standard_input >= 0) add(what.standard_input, STDIN_FILENO);
  }
  ~spawn_plan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  spawn_plan(spawn_plan const&) = delete;
  spawn_plan& operator=(spawn_plan const&) = delete;

  void add(int descriptor, int as) {
    if (int const error = posix_spawn_file_actions_adddup2(&actions_, descriptor, as); error != 0) {
      fail("cannot hand a file over", error);
    }
  }

  pid_t start(program const& what) const {
    std::vector<char*> const arguments = make_arguments(what);
    pid_t child = 0;
    int const error = posix_spawn(&child, what.path.c_str(), &actions_, &attributes_, arguments.data(), environ);
    if (error != 0) fail_to_start(what.path, error);
    return child;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// @return whether more may come
bool read_some(int descriptor, std::string& text) {
  std::array<char, 65536> buffer;
  ssize_t const count = ::read(descriptor, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

bool has_data(int descriptor) {
  pollfd one{descriptor, POLLIN, 0};
  return ::poll(&one, 1, 0) > 0 && (one.revents & POLLIN) != 0;
}

/// Waits for a child's end; signals go to it meanwhile, what it writes into the pipe goes to the result.
program_result wait_for(pid_t child, signal_reader const& signals, detail::open_file& pipe) {
  program_result result;
  for (bool has_ended = false; !has_ended;) {
    // A descriptor of -1 is passed over.
    std::array<pollfd, 2> waited{{{signals.descriptor(), POLLIN, 0}, {pipe.descriptor(), POLLIN, 0}}};
    if (::poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR) fail("cannot wait", errno);
    if (waited[1].revents != 0 && !read_some(pipe.descriptor(), result.messages)) pipe.close();
    while (int const signal = signals.read()) {
      if (signal == SIGCHLD) {
        has_ended = has_ended || ::waitpid(child, &result.wait_status, WNOHANG) == child;
      } else if (!has_ended) {
        result.received_signal = signal;
        ::kill(child, signal);
      }
    }
  }
  return result;
}

}  // namespace

program_result run(program const& what, messages where) {
  std::array<int, 2> ends{-1, -1};
  if (where == messages::to_result && ::pipe2(ends.data(), O_CLOEXEC) != 0) fail("cannot make a pipe", errno);
  detail::open_file read_end(ends[0]);
  detail::open_file write_end(ends[1]);

  signal_reader const signals;
  spawn_plan plan(what, signals.mask_before());
  if (write_end.descriptor() >= 0) plan.add(write_end.descriptor(), STDERR_FILENO);
  pid_t const child = plan.start(what);
  write_end.close();
  program_result result = wait_for(child, signals, read_end);
  // Not to the pipe's end: a process that the child left behind may hold it open.
  while (read_end.descriptor() >= 0 && has_data(read_end.descriptor())) {
    if (!read_some(read_end.descriptor(), result.messages)) break;
  }
  return result;
}

side_run::side_run(program const& what, memory_file const& output, memory_file const& error) : error_(&error) {
  ::signal(SIGCHLD, SIG_DFL);
  sigset_t mask;
  sigprocmask(SIG_BLOCK, nullptr, &mask);
  spawn_plan plan(what, mask);
  plan.add(output.descriptor(), STDOUT_FILENO);
  plan.add(error.descriptor(), STDERR_FILENO);
  child_ = plan.start(what);
}

side_run::~side_run() {
  if (child_ == 0) return;
  ::kill(child_, SIGKILL);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

program_result side_run::wait() {
  signal_reader const signals;
  detail::open_file none(-1);
  program_result result;
  // It may have ended before its SIGCHLD could be received.
  if (::waitpid(child_, &result.wait_status, WNOHANG) != child_) result = wait_for(child_, signals, none);
  child_ = 0;
  result.messages = error_->read();
  return result;
}

void become(program const& what) {
  for (int const descriptor : what.descriptors) ::fcntl(descriptor, F_SETFD, 0);
  if (what.standard_input >= 0) ::dup2(what.standard_input, STDIN_FILENO);
  std::vector<char*> const arguments = make_arguments(what);
  ::execv(what.path.c_str(), arguments.data());
  fail_to_start(what.path, errno);
}

void fill_standard_streams() {
  // open() gives the lowest number that is free.
  for (int descriptor = 0; descriptor >= 0 && descriptor <= STDERR_FILENO;) {
    descriptor = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (descriptor > STDERR_FILENO) ::close(descriptor);
  }
}

void enter_chain(std::string const& name) {
  std::string upper;
  for (char const c : name) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string const variable = fmt::format("PASTA_{}_CHAIN", upper);
  if (char const* const before = std::getenv(variable.c_str()); before != nullptr && *before != '\0') {
    throw cli::command_error(fmt::format(
        "the {} that was found leads back to this program; set PASTA_{} to the path of the vendor's", name, upper));
  }
  ::setenv(variable.c_str(), "1", 1);
}

}  // namespace pasta::ptxas
