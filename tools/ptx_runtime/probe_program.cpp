// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "probe_program.hpp"

#include <algorithm>
#include <exception>

#include "elf_table.hpp"

namespace pasta::ptx {

bool has_probe_tools() noexcept {
  try {
    auto const tools = cli::read_program_table("/proc/self/exe").tools;
    return std::any_of(tools.begin(), tools.end(),
                       [](cli::compiled_tool const& each) { return each.route == "probe"; });
  } catch (std::exception const&) {  // may be executed and not read
    return false;
  }
}

}  // namespace pasta::ptx
