// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which clang `pasta clang++` and `pasta hipcc` start, and the pass plugin for it.
#ifndef PASTA_TOOLS_PASTA_CLANG_COMPILER_HPP
#define PASTA_TOOLS_PASTA_CLANG_COMPILER_HPP

#include <string>
#include <vector>

#include "command.hpp"

namespace pasta::cli {

/// `ccache clang++-19 -c a.cpp`: a launcher, the compiler, its words. The first two may be missing.
struct clang_command {
  arguments launcher;
  std::string compiler;
  arguments words;
};

/// A compiler is a word whose file name is clang++, hipcc or one of these with a version, if only words that can be a
/// command stand before it.
clang_command split_clang_command(arguments const& words);

/// The LLVM versions for which there is a plugin beside this program, e.g. 15, 16, 19.
std::vector<int> plugin_versions();

/// The plugin's file. @throws command_error (125) if there is none for this version; the line names those that there
/// are
std::string plugin_for(int version);

/// The major version of the LLVM that a compiler is made of. @throws command_error (125) if it does not tell
int llvm_version_of(std::string const& compiler);

/// A compiler's path. @param wanted a path or a name, "" to look for one whose plugin is there
/// @param usual clang++ or hipcc
/// @throws command_error: exit code 127 if there is none, 126 if the wanted one cannot be executed
std::string find_clang(std::string const& wanted, std::string const& usual);

}  // namespace pasta::cli
#endif
