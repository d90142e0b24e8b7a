// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "rewrite_apart.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

#include <pasta/report/visible.hpp>
#include <pasta/report/write_file.hpp>
#include <process.hpp>

namespace pasta::ptxas {

namespace {

/// What goes through the pipe: '1' or '0', the reason, the warnings, each line with its newline.
std::string pack(rewritten const& result) {
  std::string packed = result.is_instrumented ? "1" : "0";
  packed += visible(result.reason) + '\n';
  for (std::string const& warning : result.warnings) packed += visible(warning) + '\n';
  return packed;
}

rewritten unpack(std::string_view packed) {
  rewritten result;
  result.is_instrumented = packed.front() == '1';
  packed.remove_prefix(1);
  bool is_reason = true;
  while (!packed.empty()) {
    std::size_t const end = packed.find('\n');
    if (is_reason) {
      result.reason = packed.substr(0, end);
    } else {
      result.warnings.emplace_back(packed.substr(0, end));
    }
    is_reason = false;
    packed.remove_prefix(end + 1);
  }
  return result;
}

rewritten do_work(std::function<rewritten()> const& work, memory_file& text) {
  rewritten result;
  try {
    result = work();
    if (result.is_instrumented) text.append(result.text);
    return result;
  } catch (std::bad_alloc const&) {
    result.reason = "out of memory";
  } catch (std::exception const& e) {
    result.reason = e.what();
  }
  result.is_instrumented = false;
  return result;
}

[[noreturn]] void work_and_end(std::function<rewritten()> const& work, memory_file& text, int pipe) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  int error = EIO;
  try {
    error = detail::write_all(pipe, pack(do_work(work, text)));
  } catch (...) {
  }
  ::_exit(error == 0 ? 0 : 1);
}

}  // namespace

rewritten rewrite_apart(std::function<rewritten()> const& work, memory_file& text) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  detail::open_file read_end(ends[0]);
  detail::open_file write_end(ends[1]);
  pid_t const child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "cannot fork");
  if (child == 0) work_and_end(work, text, write_end.descriptor());
  write_end.close();

  std::string packed;
  std::array<char, 4096> buffer;
  while (true) {
    ssize_t const count = ::read(read_end.descriptor(), buffer.data(), buffer.size());
    if (count == 0 || (count < 0 && errno != EINTR)) break;
    if (count > 0) packed.append(buffer.data(), static_cast<std::size_t>(count));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0 && !packed.empty()) return unpack(packed);
  rewritten failed;
  failed.reason = fmt::format("the rewriting ended before its time: {}", cli::describe_end(status));
  return failed;
}

}  // namespace pasta::ptxas
