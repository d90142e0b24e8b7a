// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "tool_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <pasta/report/visible.hpp>
#include <pasta/session/pack_name.hpp>
#include <pasta/session/ptx/read_site_table.hpp>

namespace pasta::collecting {

std::string own_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return "";
  // It may have been loaded by a link.
  std::error_code error;
  std::filesystem::path const real = std::filesystem::canonical(info.dli_fname, error);
  std::string const path = error ? info.dli_fname : real.string();
  return path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
}

namespace {

std::string find_library(std::string const& tool) {
  std::vector<std::string> folders;
  if (char const* const path = std::getenv("PASTA_TOOL_PATH"); path != nullptr) folders = split_names(path, ":");
  folders.push_back(own_folder() + "/tools");
  for (std::string const& folder : folders) {
    std::string file = fmt::format("{}/{}.so", folder, tool);
    if (!folder.empty() && ::access(file.c_str(), R_OK) == 0) return file;
  }
  return "";
}

}  // namespace

tool_library::tool_library(std::string const& tool) : name_(tool) {
  path_ = tool.find('/') == std::string::npos ? find_library(tool) : "";
  if (path_.empty())
    throw ptx::table_error(fmt::format("there is no tool {} (PASTA_TOOL_PATH names more folders)", visible(tool)));
  library_ = ::dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays: its report may be asked for any time
  if (library_ == nullptr)
    throw ptx::table_error(fmt::format("{} cannot be loaded: {}", visible(path_), visible(::dlerror())));
  auto const version = reinterpret_cast<char const* (*)()>(::dlsym(library_, "pasta_tool_exchange_version"));
  ask_ = reinterpret_cast<void (*)(ptx::tool_exchange*)>(::dlsym(library_, "pasta_tool_exchange"));
  if (version == nullptr || ask_ == nullptr)
    throw ptx::table_error(fmt::format("{} was built with a PASTA that cannot be asked", visible(path_)));
  if (version() != ptx::exchange_version()) {
    throw ptx::table_error(fmt::format("{} is of another build: it is {}, and this is {}", visible(path_),
                                       visible(version()), ptx::exchange_version()));
  }
}

void* tool_library::find(char const* symbol) const { return ::dlsym(library_, symbol); }

}  // namespace pasta::collecting
