// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_REPORT_SOURCE_LINES_HPP
#define PASTA_REPORT_SOURCE_LINES_HPP

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <pasta/report/model.hpp>
#include <pasta/report/visible.hpp>
#include <pasta/report/write_file.hpp>

namespace pasta {

/// The index of a column, or -1 if the table has none of this name.
inline int column_index(table const& t, std::string_view name) {
  for (std::size_t i = 0; i < t.columns.size(); ++i) {
    if (t.columns[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

/// Short names for the source files of a report: relative to a folder if below it, else the base name if no other file
/// of the report has it, else the full path.
class file_names {
 public:
  /// @param folder absolute; "" for base names only
  file_names(report_model const& report, std::string folder) : folder_(std::move(folder)) {
    if (!folder_.empty() && folder_.back() != '/') folder_ += '/';
    for (tool_section const& tool : report.tools) {
      add(tool.findings, tool.tables);
      for (kernel_section const& kernel : tool.kernels) add(kernel.findings, kernel.tables);
    }
  }

  /// The short name; any bytes, as the path.
  std::string operator()(std::string const& path) const {
    if (folder_.size() > 1 && path.compare(0, folder_.size(), folder_) == 0) return path.substr(folder_.size());
    std::string const base = base_name(path);
    auto const found = paths_.find(base);
    return found == paths_.end() || found->second != path ? path : base;
  }

  static std::string base_name(std::string const& path) { return path.substr(path.rfind('/') + 1); }

 private:
  void add(std::vector<finding> const& findings, std::vector<table> const& tables) {
    for (finding const& f : findings) add(f.place.file);
    for (table const& t : tables) {
      int const file = column_index(t, "file");
      if (file < 0) continue;
      for (auto const& row : t.rows) {
        if (auto const* path = std::get_if<std::string>(&row[static_cast<std::size_t>(file)])) add(*path);
      }
    }
  }

  void add(std::string const& path) {
    auto const [place, is_new] = paths_.try_emplace(base_name(path), path);
    if (!is_new && place->second != path) place->second.clear();
  }

  std::string folder_;
  std::map<std::string, std::string> paths_;  // base name -> path, "" if several paths have it
};

/// Reads lines of source files for display. A file is read once; one that cannot be read, is not a regular file or is
/// larger than 16 MiB has no lines.
class source_lines {
 public:
  /// The line without leading and trailing white space, visible(), or "" if it cannot be had. @param line from 1
  std::string const& operator()(std::string const& path, std::uint64_t line) {
    static std::string const none;
    auto const [place, is_new] = files_.try_emplace(path);
    if (is_new) place->second = read_lines(path);
    return line >= 1 && line <= place->second.size() ? place->second[static_cast<std::size_t>(line) - 1] : none;
  }

 private:
  static std::vector<std::string> read_lines(std::string const& path) {
    constexpr std::size_t limit_bytes = std::size_t{16} << 20;
    std::vector<std::string> lines;
    // A path from a report may name a pipe or a terminal: neither wait for one nor become its owner.
    detail::open_file file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat status {};
    if (file.descriptor() < 0 || ::fstat(file.descriptor(), &status) != 0 || !S_ISREG(status.st_mode)) return lines;
    if (status.st_size < 0 || static_cast<std::size_t>(status.st_size) > limit_bytes) return lines;
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t size = 0;
    while (size < text.size()) {
      ssize_t const count = ::read(file.descriptor(), text.data() + size, text.size() - size);
      if (count <= 0) break;
      size += static_cast<std::size_t>(count);
    }
    text.resize(size);
    for (std::string_view rest = text; !rest.empty();) {
      auto const end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      auto const first = line.find_first_not_of(" \t\r");
      if (first == std::string_view::npos) {
        lines.emplace_back();
        continue;
      }
      auto const last = line.find_last_not_of(" \t\r");
      lines.push_back(visible(line.substr(first, last - first + 1)));
    }
    return lines;
  }

  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace pasta
#endif
