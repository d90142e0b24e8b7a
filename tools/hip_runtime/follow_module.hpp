// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_HIP_RUNTIME_FOLLOW_MODULE_HPP
#define PASTA_TOOLS_HIP_RUNTIME_FOLLOW_MODULE_HPP

#include <exception>
#include <fstream>
#include <iterator>
#include <string>

#include "follow_launch.hpp"
#include "modules.hpp"

namespace pasta::hip_runtime {

/// f(module_list). What cannot be remembered is as if it were not instrumented.
template <class Function>
void remember(Function&& f) noexcept {
  try {
    f(module_list::all());
  } catch (std::exception const&) {
  }
}

/// What the program loaded of a file.
inline void add_file(module_record::origin from, void const* handle, char const* path) noexcept {
  remember([&](module_list& all) {
    std::ifstream file(path, std::ios::binary);
    std::string const image{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    all.add_loaded(from, handle, image.data(), image.size());
  });
}

/// Before the runtime does it: what the module's memory holds is then gone. @param module may be null
inline void let_go(module_record* module) {
  if (module == nullptr) return;
  run* const here = run::existing();
  if (here != nullptr && !here->is_over()) for_run(here, [&](run& of) { of.collector().module_gone(*module); });
}

}  // namespace pasta::hip_runtime
#endif
