// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_COLLECTING_NEXT_INJECTION_HPP
#define PASTA_TOOLS_COLLECTING_NEXT_INJECTION_HPP

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <pasta/session/report_index.hpp>

namespace pasta::collecting {

/// Starts another tool's library, which stood in CUDA_INJECTION64_PATH before `pasta run` took the place.
/// @return what the driver wants of InitializeInjection: not 0
inline int start_next_injection() {
  char const* const path = std::getenv("PASTA_PTX_NEXT_INJECTION");
  if (path == nullptr || *path == '\0') return 1;
  void* const library = ::dlopen(path, RTLD_NOW);
  auto const initialize = library == nullptr ? nullptr : ::dlsym(library, "InitializeInjection");
  if (initialize == nullptr) {
    char const* const reason = library == nullptr ? ::dlerror() : "it has no InitializeInjection";
    pasta::detail::say(fmt::format("the library of CUDA_INJECTION64_PATH is not loaded: {}", reason));
    return 1;
  }
  return reinterpret_cast<int (*)()>(initialize)();
}

}  // namespace pasta::collecting
#endif
