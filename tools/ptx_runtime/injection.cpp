// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What the driver calls as it starts, in the library that CUDA_INJECTION64_PATH names.
#include <fmt/format.h>

#include "next_injection.hpp"
#include "probe_program.hpp"
#include "run.hpp"

namespace {

void start_own() {
  try {
    pasta::settings set = pasta::read_settings("ptx");
    if (set.tools.empty()) return;
    // Where nobody says which route, a program that has the tools compiled in reports by itself.
    if (!set.is_route_named && pasta::ptx::has_probe_tools()) return;
    // The report of the route auto says that launches were analysed whole.
    if (!set.is_auto) pasta::detail::refuse_block_rate(set.block_rate, "the ptx route");
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
  return pasta::collecting::start_next_injection();
}
