// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "patch_guest.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <pasta/report/visible.hpp>

#include "tool_library.hpp"

namespace pasta::ptx {

collecting::guest* start_patch_guest(collecting::guest_host& host, std::string& why_not) {
  std::string const path = collecting::own_folder() + "/libpasta_patch.so";
  if (::access(path.c_str(), R_OK) != 0) {
    why_not = "libpasta_patch.so is not there: PASTA was built without sanitizer.h (pasta doctor)";
    return nullptr;
  }
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays
  if (library == nullptr) {
    why_not = fmt::format("{} cannot be loaded: {}", visible(path), visible(::dlerror()));
    return nullptr;
  }
  auto const version = reinterpret_cast<char const* (*)()>(::dlsym(library, "pasta_guest_version"));
  auto const start = reinterpret_cast<collecting::guest* (*)(collecting::guest_host*, std::string*)>(
      ::dlsym(library, "pasta_start_guest"));
  if (version == nullptr || start == nullptr || version() != collecting::guest_version()) {
    why_not = fmt::format("{} is of another build of PASTA", visible(path));
    return nullptr;
  }
  return start(&host, &why_not);
}

}  // namespace pasta::ptx
