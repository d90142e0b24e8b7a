// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "hook_files.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <tuple>

#include "find_ptxas.hpp"

namespace pasta::ptxas {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> hook_folders() {
  std::vector<fs::path> folders;
  for (std::string const& folder : folders_in("PASTA_TOOL_PATH")) folders.emplace_back(folder);
  std::error_code error;
  fs::path const program = fs::read_symlink("/proc/self/exe", error);
  if (error) return folders;
  // bin/pasta_ptxas of a build, libexec/pasta/ptxas of an installation.
  for (fs::path const& root :
       {program.parent_path().parent_path(), program.parent_path().parent_path().parent_path()}) {
    folders.push_back(root / "lib/pasta/tools");
  }
  return folders;
}

/// `coalescing.sm_80.ptx`
std::optional<hook_file> read_name(fs::path const& path) {
  std::string const name = path.filename().string();
  constexpr std::string_view middle = ".sm_", end = ".ptx";
  std::size_t const at = name.find(middle);
  if (at == std::string::npos || at == 0 || !name.ends_with(end)) return std::nullopt;
  char const* const number = name.data() + at + middle.size();
  char const* const behind = name.data() + name.size() - end.size();
  hook_file file{name.substr(0, at), 0, path};
  auto const read = std::from_chars(number, std::max(number, behind), file.architecture);
  if (read.ec != std::errc{} || read.ptr != behind) return std::nullopt;
  return file;
}

}  // namespace

std::vector<hook_file> find_hooks() {
  std::vector<hook_file> all;
  for (fs::path const& folder : hook_folders()) {
    std::error_code error;
    std::vector<hook_file> found;
    for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
      std::error_code no_status;
      if (!each->is_regular_file(no_status)) continue;
      auto const file = read_name(each->path());
      bool const is_known =
          file && std::any_of(all.begin(), all.end(), [&](hook_file const& known) { return known.tool == file->tool; });
      if (file && !is_known) found.push_back(*file);
    }
    all.insert(all.end(), found.begin(), found.end());
  }
  std::sort(all.begin(), all.end(), [](hook_file const& a, hook_file const& b) {
    return std::tie(a.tool, a.architecture) < std::tie(b.tool, b.architecture);
  });
  return all;
}

hook_file const* choose_hook(std::vector<hook_file> const& all, std::string_view tool, unsigned architecture) {
  hook_file const* chosen = nullptr;
  for (hook_file const& each : all) {
    if (each.tool == tool && (chosen == nullptr || each.architecture <= architecture)) chosen = &each;
  }
  return chosen;
}

}  // namespace pasta::ptxas
