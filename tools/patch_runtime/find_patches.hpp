// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PATCH_RUNTIME_FIND_PATCHES_HPP
#define PASTA_TOOLS_PATCH_RUNTIME_FIND_PATCHES_HPP

#include "collector.hpp"
#include "tool_library.hpp"

namespace pasta::patch {

/// What is to be patched in for the tool, or why it cannot be. The shadow's part is left to the caller.
collector::patches find_patches(collecting::tool_library const& tool);

}  // namespace pasta::patch
#endif
