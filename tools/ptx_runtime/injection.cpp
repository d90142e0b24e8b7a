// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What the driver calls as it starts, in the library that CUDA_INJECTION64_PATH names.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <pasta/session/report_index.hpp>

#include "probe_program.hpp"
#include "run.hpp"

namespace {

// Another tool's library, which stood in CUDA_INJECTION64_PATH before `pasta run` took the place.
int start_other() {
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

void start_own() {
  try {
    pasta::settings set = pasta::read_settings("ptx");
    if (set.tools.empty()) return;
    // Where nobody says which route, a program that has the tools compiled in reports by itself.
    if (!set.is_route_named && pasta::ptx::has_probe_tools()) return;
    pasta::ptx::run::start(std::move(set));
  } catch (std::exception const& error) {
    pasta::detail::say(fmt::format("the ptx route collects nothing: {}", error.what()));
  }
}

}  // namespace

/// @return not 0, as the driver wants it
// NOLINTNEXTLINE(readability-identifier-naming): the driver's name for it
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  static bool is_started = false;
  if (is_started) return 1;
  is_started = true;
  start_own();
  return start_other();
}
