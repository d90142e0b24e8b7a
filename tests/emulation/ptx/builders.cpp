// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "actions.hpp"

namespace ptx_emulation {

builder find_builder(std::string_view name) {
  static std::map<std::string_view, builder> const all = [] {
    std::map<std::string_view, builder> made;
    for (auto const& part : {arithmetic_builders(), wide_builders(), bit_builders(), floating_builders(),
                             compare_builders(), convert_builders(), move_builders(), memory_builders(),
                             atomic_builders(), exchange_builders(), control_builders(), matrix_builders()}) {
      made.insert(part.begin(), part.end());
    }
    return made;
  }();
  auto const found = all.find(name);
  return found == all.end() ? nullptr : found->second;
}

}  // namespace ptx_emulation
