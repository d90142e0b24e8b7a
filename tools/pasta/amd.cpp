// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "amd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "command.hpp"
#include "process.hpp"

namespace pasta::cli {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> entries_of(fs::path const& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    found.push_back(entry->path());
  return found;
}

/// A node's architecture; "" for a processor, and for what is not a node.
std::string architecture_of(fs::path const& node) {
  std::ifstream file(node / "properties");
  std::string name;
  unsigned long value = 0;
  while (file >> name >> value) {
    // 90010: major, minor and stepping by two digits each; minor and stepping are written as hexadecimal digits.
    if (name == "gfx_target_version" && value != 0)
      return fmt::format("gfx{}{:x}{:x}", value / 10000, value / 100 % 100, value % 100);
  }
  return "";
}

}  // namespace

std::vector<std::string> find_amd_gpus() {
  char const* const given = std::getenv("PASTA_KFD_TOPOLOGY");
  std::vector<std::pair<int, std::string>> nodes;
  for (fs::path const& node : entries_of(given != nullptr ? given : "/sys/class/kfd/kfd/topology/nodes")) {
    std::string const architecture = architecture_of(node);
    if (!architecture.empty()) nodes.emplace_back(std::atoi(node.filename().c_str()), architecture);
  }
  std::sort(nodes.begin(), nodes.end());
  std::vector<std::string> gpus;
  gpus.reserve(nodes.size());
  for (auto const& [number, architecture] : nodes) gpus.push_back(architecture);
  return gpus;
}

std::vector<std::string> rocm_folders() {
  std::vector<std::string> folders;
  std::error_code error;
  char const* const given = std::getenv("ROCM_PATH");
  for (std::string const& folder : {std::string(given != nullptr ? given : ""), std::string("/opt/rocm")}) {
    if (!folder.empty() && fs::is_directory(folder, error)) folders.push_back(folder);
  }
  return folders;
}

std::string find_hip_device_libraries() {
  std::vector<fs::path> places;
  for (std::string const& folder : rocm_folders()) places.push_back(fs::path(folder) / "amdgcn/bitcode");
  for (fs::path const& folder : entries_of("/usr/lib")) {  // Debian: /usr/lib/x86_64-linux-gnu
    if (folder.filename().string().ends_with("-linux-gnu")) places.push_back(folder / "amdgcn/bitcode");
  }
  std::error_code error;
  auto const found = std::find_if(places.begin(), places.end(),
                                  [&](fs::path const& place) { return fs::exists(place / "ockl.bc", error); });
  return found == places.end() ? "" : found->string();
}

std::vector<std::string> find_hip_clangs() {
  std::vector<std::string> found;
  for (char const* name : {"amdclang++", "clang++-15", "clang++-16", "clang++-19"}) {
    try {
      find_program(name);
      found.emplace_back(name);
    } catch (command_error const&) {  // the next one
    }
  }
  return found;
}

}  // namespace pasta::cli
