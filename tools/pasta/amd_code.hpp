// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_AMD_CODE_HPP
#define PASTA_TOOLS_PASTA_AMD_CODE_HPP

#include <string>
#include <string_view>
#include <vector>

namespace pasta::cli {

/// Tools that `pasta hipcc` put into code for AMD GPUs.
struct amd_tools {
  std::string tools;                 ///< "access_count+coalescing"; any of them can be run
  std::string pasta_version;         ///< "0.1.0"
  std::vector<std::string> targets;  ///< the GPUs that it is for: "gfx90a"
};

/// What the bundles in a program's section .hip_fatbin say, read from the site tables in their code. Code without
/// counters, and what cannot be read, is left out.
std::vector<amd_tools> read_amd_tools(std::string_view section);

}  // namespace pasta::cli
#endif
