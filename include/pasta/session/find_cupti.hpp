// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Where CUPTI may be. Nothing is linked: it is opened where it is found at run time.
#ifndef PASTA_SESSION_FIND_CUPTI_HPP
#define PASTA_SESSION_FIND_CUPTI_HPP

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <pasta/report/visible.hpp>
#include <string>
#include <system_error>
#include <vector>

namespace pasta {

namespace detail {
inline void add_toolkit(std::vector<std::string>& into, std::string const& toolkit) {
  for (char const* folder :
       {"extras/CUPTI/lib64", "lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
    // The packages of PyPI have only the name with the version.
    for (char const* name : {"libcupti.so", "libcupti.so.13", "libcupti.so.12"})
      into.push_back(fmt::format("{}/{}/{}", toolkit, folder, name));
  }
}

}  // namespace detail

/// What dlopen is given, in order: the file that PASTA_CUPTI names and nothing else, or what CUDA_HOME, CUDA_PATH, the
/// loader's own folders and the usual toolkits may have.
inline std::vector<std::string> cupti_candidates() {
  if (char const* const named = std::getenv("PASTA_CUPTI"); named != nullptr && *named != '\0') return {named};
  std::vector<std::string> candidates;
  for (char const* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (char const* const toolkit = std::getenv(variable); toolkit != nullptr && *toolkit != '\0')
      detail::add_toolkit(candidates, toolkit);
  }
  // In the folders that the loader knows, e.g. by LD_LIBRARY_PATH.
  for (char const* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) candidates.emplace_back(name);
  detail::add_toolkit(candidates, "/usr/local/cuda");
  std::vector<std::string> toolkits;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/usr/local", error), end; !error && entry != end;
       entry.increment(error)) {
    std::string const path = entry->path().string();
    if (entry->path().filename().string().rfind("cuda-", 0) == 0) toolkits.push_back(path);
  }
  std::sort(toolkits.rbegin(), toolkits.rend());
  for (std::string const& toolkit : toolkits) detail::add_toolkit(candidates, toolkit);
  return candidates;
}

/// What was opened, or why nothing was.
struct opened_cupti {
  void* library = nullptr;
  std::string path;
  std::string problem;  ///< half a line
};
inline opened_cupti open_cupti() {
  opened_cupti opened;
  std::string reason;
  // One that the program has loaded already (PyTorch brings its own) is the one: two of them do not get on.
  for (char const* name : {"libcupti.so.13", "libcupti.so.12"}) {
    if (std::getenv("PASTA_CUPTI") != nullptr) break;
    opened.library = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    opened.path = name;
    if (opened.library != nullptr) return opened;
  }
  opened.path.clear();
  for (std::string const& candidate : cupti_candidates()) {
    opened.library = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened.library != nullptr) {
      opened.path = candidate;
      return opened;
    }
    std::error_code error;
    // A file that is there and does not load says more than those that are not there.
    if (std::filesystem::exists(candidate, error)) reason = fmt::format(": {}", visible(::dlerror()));
  }
  char const* const named = std::getenv("PASTA_CUPTI");
  bool const is_named = named != nullptr && *named != '\0';
  opened.problem = fmt::format(
      "CUPTI was not found{}{}; it comes with the CUDA toolkit (cuda-cupti), and PASTA_CUPTI "
      "names its libcupti.so",
      is_named ? fmt::format(" at PASTA_CUPTI={}", visible(named)) : "", reason);
  return opened;
}

}  // namespace pasta
#endif
