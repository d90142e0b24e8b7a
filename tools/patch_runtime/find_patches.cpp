// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "find_patches.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <pasta/report/visible.hpp>
#include <string_view>

namespace pasta::patch {

collector::patches find_patches(collecting::tool_library const& tool) {
  collector::patches found;
  auto const ask = reinterpret_cast<void (*)(tool_patches*)>(tool.find("pasta_tool_patches"));
  if (ask == nullptr) {
    found.why_not = fmt::format("{} was built with a PASTA that has no route patch", tool.name());
    return found;
  }
  ask(&found.about);
  std::string_view const library = tool.path();
  found.file = fmt::format("{}.patch.fatbin", library.substr(0, library.rfind('.')));
  if (!found.about.obstacle.empty()) {
    found.why_not = fmt::format("{} does not have the route patch: {}", tool.name(), found.about.obstacle);
  } else if (::access(found.file.c_str(), R_OK) != 0) {
    found.why_not = fmt::format("{} has no patches: {} is not there; build the tool where nvcc and sanitizer.h are",
                                tool.name(), visible(found.file));
  }
  return found;
}

}  // namespace pasta::patch
