// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_NVCC_CACHE_KEY_HPP
#define PASTA_TOOLS_PASTA_NVCC_CACHE_KEY_HPP

#include <filesystem>
#include <string>

#include "process.hpp"

namespace pasta::cli {

/// What keeps ccache and sccache from giving an object that was made with other tools, none, or another version:
/// neither looks at what nvcc starts. What the user set in these variables is extended.
/// @param tools by commas @param stand_in its content is in the key
environment_changes cache_key(std::string const& tools, std::filesystem::path const& stand_in);

}  // namespace pasta::cli
#endif
