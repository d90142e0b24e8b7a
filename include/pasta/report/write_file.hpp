// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_REPORT_WRITE_FILE_HPP
#define PASTA_REPORT_WRITE_FILE_HPP

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include <pasta/report/report_error.hpp>
#include <pasta/report/visible.hpp>

namespace pasta {

namespace detail {

[[noreturn]] inline void fail_on_file(char const* verb, std::string const& path, int error) {
  throw report_error(fmt::format("cannot {} {}: {}", verb, visible(path), std::generic_category().message(error)));
}

/// Closes a descriptor at the end of its scope unless close() did.
class open_file {
 public:
  explicit open_file(int descriptor) : descriptor_(descriptor) {}
  open_file(open_file const&) = delete;
  open_file& operator=(open_file const&) = delete;
  ~open_file() { close(); }

  int descriptor() const { return descriptor_; }

  /// @return 0 or errno: a full disk may show only here.
  int close() {
    if (descriptor_ < 0) return 0;
    int const result = ::close(descriptor_);
    descriptor_ = -1;
    return result == 0 ? 0 : errno;
  }

 private:
  int descriptor_;
};

/// @return 0 or errno
inline int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    ssize_t const written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// The descriptor that /dev/stdout, /dev/stderr, /dev/fd/N or /proc/self/fd/N names, else -1. Opening these would start
/// a second offset at 0 where they lead to a regular file, and overwrite what the program printed.
inline int descriptor_named_by(std::string const& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (std::string_view const folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.compare(0, folder.size(), folder) != 0) continue;
    char const* const digits = path.c_str() + folder.size();
    char* end = nullptr;
    long const number = std::strtol(digits, &end, 10);
    if (end != digits && *end == '\0' && number >= 0 && number < 1 << 20) return static_cast<int>(number);
  }
  return -1;
}

/// The path at the end of a chain of symbolic links; it need not exist.
inline std::string follow_links(std::string path) {
  for (int link_count = 0;; ++link_count) {
    std::string target(4096, '\0');
    ssize_t const size = ::readlink(path.c_str(), target.data(), target.size());
    if (size <= 0) return path;  // not a link, or not there
    if (link_count == 40) fail_on_file("write", path, ELOOP);
    target.resize(static_cast<std::size_t>(size));
    auto const slash = path.rfind('/');
    path = target.front() == '/' || slash == std::string::npos ? target : path.substr(0, slash + 1) + target;
  }
}

/// Makes a new empty file in the folder of path and opens it for writing. @return its path
inline std::string create_beside(std::string const& path, int& descriptor) {
  auto const slash = path.rfind('/');
  std::string const folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  for (unsigned attempt = 0;; ++attempt) {
    std::string temporary = fmt::format("{}.pasta-{}-{}.tmp", folder, ::getpid(), attempt);
    descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return temporary;
    if (errno != EEXIST || attempt == 1000) fail_on_file("write", path, errno);
  }
}

inline void write_directly(std::string_view text, std::string const& path) {
  // A FIFO's reader gets two seconds to come: for ever is too long for a program that has ended.
  int descriptor = -1;
  for (int attempt = 0; attempt < 200; ++attempt) {
    descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor >= 0 || errno != ENXIO) break;
    ::usleep(10'000);
    errno = ENXIO;
  }
  if (descriptor < 0 && errno == ENXIO)
    throw report_error(fmt::format("cannot write {}: no process reads it", visible(path)));
  if (descriptor < 0) fail_on_file("write", path, errno);
  open_file file(descriptor);
  ::fcntl(file.descriptor(), F_SETFL, ::fcntl(file.descriptor(), F_GETFL) & ~O_NONBLOCK);
  int error = write_all(file.descriptor(), text);
  if (int const close_error = file.close(); error == 0) error = close_error;
  if (error != 0) fail_on_file("write", path, error);
}

}  // namespace detail

/// Writes a text to a file: all of it or nothing. A regular file (or a symbolic link's target) is written beside its
/// place and renamed, and keeps its mode; a device, a pipe and /dev/stdout are written directly.
/// @throws report_error with the path and the reason; no temporary file is left.
inline void write_file(std::string_view text, std::string const& path) {
  if (int const known = detail::descriptor_named_by(path); known >= 0) {
    if (int const error = detail::write_all(known, text); error != 0) detail::fail_on_file("write", path, error);
    return;
  }
  struct stat status {};
  bool const exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) return detail::write_directly(text, path);
  if (exists && ::access(path.c_str(), W_OK) != 0) detail::fail_on_file("write", path, errno);

  std::string const target = detail::follow_links(path);
  int descriptor = -1;
  std::string const temporary = detail::create_beside(target, descriptor);
  detail::open_file file(descriptor);
  int error = detail::write_all(descriptor, text);
  if (error == 0 && exists && ::fchmod(descriptor, status.st_mode & 07777) != 0) error = errno;
  if (int const close_error = file.close(); error == 0) error = close_error;
  if (error == 0 && std::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    detail::fail_on_file("write", path, error);
  }
}

}  // namespace pasta
#endif
