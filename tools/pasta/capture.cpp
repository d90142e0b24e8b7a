// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "capture.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

#include <pasta/report/write_file.hpp>

namespace pasta::cli {

std::optional<std::string> capture(std::vector<std::string> const& command, std::string const& input) {
  int in[2], out[2];
  if (::pipe2(in, O_CLOEXEC) != 0) return std::nullopt;
  detail::open_file in_read(in[0]), in_write(in[1]);
  if (::pipe2(out, O_CLOEXEC) != 0) return std::nullopt;
  detail::open_file out_read(out[0]), out_write(out[1]);
  if (detail::write_all(in_write.descriptor(), input) != 0) return std::nullopt;
  in_write.close();

  std::vector<char*> values;
  values.reserve(command.size() + 1);
  for (std::string const& word : command) values.push_back(const_cast<char*>(word.c_str()));
  values.push_back(nullptr);
  pid_t const child = ::fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(in_read.descriptor(), STDIN_FILENO);
    ::dup2(out_write.descriptor(), STDOUT_FILENO);
    int const null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(null, STDERR_FILENO);
    ::execvp(values[0], values.data());
    ::_exit(127);
  }
  out_write.close();

  std::string text;
  std::array<char, 16384> chunk;
  auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  bool is_whole = false;
  while (text.size() < std::size_t{1} << 20) {
    auto const left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd ready{out_read.descriptor(), POLLIN, 0};
    if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0) break;
    ssize_t const count = ::read(out_read.descriptor(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      is_whole = count == 0;
      break;
    }
    text.append(chunk.data(), static_cast<std::size_t>(count));
  }
  if (!is_whole) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  bool const is_good = is_whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return is_good ? std::optional<std::string>(text) : std::nullopt;
}

}  // namespace pasta::cli
