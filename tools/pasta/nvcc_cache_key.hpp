// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_NVCC_CACHE_KEY_HPP
#define PASTA_TOOLS_PASTA_NVCC_CACHE_KEY_HPP

#include <filesystem>
#include <string>

#include "command.hpp"
#include "process.hpp"

namespace pasta::cli {

/// Equal for builds that make the same: the version, the tools, a hash of the stand-in and of the tools' hooks.
std::string build_key(arguments const& tools, std::filesystem::path const& stand_in);

/// What keeps ccache and sccache from giving an object that was made with other tools, none, or another version:
/// neither looks at what nvcc starts. What the user set in these variables is extended.
/// The content of the stand-in and of the tools' hooks is in the key.
environment_changes cache_key(arguments const& tools, std::filesystem::path const& stand_in);

}  // namespace pasta::cli
#endif
