// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Where the Compute Sanitizer's library may be: for the collector and for `pasta doctor`. Nothing is linked.
#ifndef PASTA_TOOLS_PATCH_RUNTIME_FIND_SANITIZER_HPP
#define PASTA_TOOLS_PATCH_RUNTIME_FIND_SANITIZER_HPP

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <pasta/report/visible.hpp>
#include <string>
#include <system_error>
#include <vector>

namespace pasta::patch {

/// What dlopen is given, in order: the file that PASTA_SANITIZER names and nothing else, or what CUDA_HOME, CUDA_PATH,
/// the loader's own folders and the usual toolkits may have.
inline std::vector<std::string> sanitizer_candidates() {
  if (char const* const named = std::getenv("PASTA_SANITIZER"); named != nullptr && *named != '\0') return {named};
  std::vector<std::string> candidates;
  auto const add_toolkit = [&](std::string const& toolkit) {
    // Packages of PyPI have it in lib.
    for (char const* folder : {"compute-sanitizer", "lib", "extras/Sanitizer"})
      candidates.push_back(fmt::format("{}/{}/libsanitizer-public.so", toolkit, folder));
  };
  for (char const* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (char const* const toolkit = std::getenv(variable); toolkit != nullptr && *toolkit != '\0') add_toolkit(toolkit);
  }
  candidates.emplace_back("libsanitizer-public.so");  // in the folders that the loader knows, e.g. by LD_LIBRARY_PATH
  add_toolkit("/usr/local/cuda");
  std::vector<std::string> toolkits;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/usr/local", error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().rfind("cuda-", 0) == 0) toolkits.push_back(entry->path().string());
  }
  std::sort(toolkits.rbegin(), toolkits.rend());
  for (std::string const& toolkit : toolkits) add_toolkit(toolkit);
  return candidates;
}

/// What was opened, or why nothing was.
struct opened_sanitizer {
  void* library = nullptr;
  std::string path;
  std::string problem;  ///< half a line
};
inline opened_sanitizer open_sanitizer() {
  opened_sanitizer opened;
  std::string reason;
  for (std::string const& candidate : sanitizer_candidates()) {
    opened.library = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened.library != nullptr) {
      opened.path = candidate;
      return opened;
    }
    std::error_code error;
    // A file that is there and does not load says more than those that are not there.
    if (std::filesystem::exists(candidate, error)) reason = fmt::format(": {}", visible(::dlerror()));
  }
  char const* const named = std::getenv("PASTA_SANITIZER");
  bool const is_named = named != nullptr && *named != '\0';
  opened.problem = fmt::format(
      "the Compute Sanitizer's library was not found{}{}; it comes with the CUDA toolkit (cuda-sanitizer), and "
      "PASTA_SANITIZER names its libsanitizer-public.so",
      is_named ? fmt::format(" at PASTA_SANITIZER={}", visible(named)) : "", reason);
  return opened;
}

}  // namespace pasta::patch
#endif
