// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Where a process's report goes, and how `pasta run` learns of it.
#ifndef PASTA_SESSION_REPORT_INDEX_HPP
#define PASTA_SESSION_REPORT_INDEX_HPP

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <pasta/session/index_path.hpp>
#include <pasta/session/settings.hpp>

namespace pasta::detail {

// One line on standard error; nothing if that is closed or full: the program must not notice.
inline void say(std::string const& line) noexcept { std::fprintf(stderr, "pasta: %s\n", line.c_str()); }

// The program may change its folder before it ends.
inline std::string absolute(std::string const& path) {
  if (path.rfind('/', 0) == 0) return path;
  std::string folder(4096, '\0');
  return ::getcwd(folder.data(), folder.size()) != nullptr ? fmt::format("{}/{}", folder.c_str(), path) : path;
}

/// Appends to PASTA_REPORT_INDEX. One write() per line: processes append to the same file.
/// @param why empty: nothing to add
inline void tell_index(settings const& set, std::string_view what, std::string const& path,
                       std::string_view why) noexcept {
  if (set.report_index.empty()) return;
  int const file = ::open(set.report_index.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return;
  try {
    std::string line = fmt::format("{}\t{}\t{}", what, ::getpid(), to_index_path(path));
    if (!why.empty()) line += fmt::format("\t{}", visible(why));
    line += '\n';
    static_cast<void>(!::write(file, line.data(), line.size()));
  } catch (std::exception const&) {  // no memory for a line: pasta run then sees a process that never finished
  }
  ::close(file);
}

}  // namespace pasta::detail
#endif
