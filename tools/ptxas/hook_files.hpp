// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_HOOK_FILES_HPP
#define PASTA_TOOLS_PTXAS_HOOK_FILES_HPP

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptxas {

/// A tool's handlers as PTX: `coalescing.sm_80.ptx`.
struct hook_file {
  std::string tool;
  unsigned architecture;  ///< 80
  std::filesystem::path path;
};

/// The hooks in the folders of PASTA_TOOL_PATH, and in lib/pasta/tools of the tree that this program is in. Of a tool
/// the first folder that has it. By name and architecture.
std::vector<hook_file> find_hooks();

/// The hook that is best for a GPU: the latest that it runs, else the oldest. Null if the tool has none.
hook_file const* choose_hook(std::vector<hook_file> const& all, std::string_view tool, unsigned architecture);

}  // namespace pasta::ptxas
#endif
