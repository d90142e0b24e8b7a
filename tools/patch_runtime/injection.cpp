// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What the driver calls as it starts, in the library that CUDA_INJECTION64_PATH names.
#include <fmt/format.h>

#include <exception>

#include "next_injection.hpp"
#include "probe_program.hpp"
#include "run.hpp"

namespace {

void start_own() {
  try {
    pasta::settings set = pasta::read_settings("patch");
    // A route that is this dear is one that was asked for.
    if (set.tools.empty() || (!set.is_route_named && !set.is_auto)) return;
    // A program that has the tools compiled in reports by itself.
    if (set.is_auto && pasta::ptx::has_probe_tools()) return;
    pasta::patch::run::start(std::move(set));
  } catch (std::exception const& error) {
    pasta::detail::say(fmt::format("the patch route collects nothing: {}", error.what()));
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
  return pasta::collecting::start_next_injection();
}
