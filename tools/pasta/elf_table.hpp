// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_ELF_TABLE_HPP
#define PASTA_TOOLS_PASTA_ELF_TABLE_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace pasta::cli {

/// One entry of a program's section .pasta_tools.
struct compiled_tool {
  std::string route;          ///< "probe", "ptx"
  std::string pack;           ///< "access_count+coalescing"; of the route ptx any part of it can be run
  std::string pasta_version;  ///< "0.1.0"
};

enum class file_kind : std::uint8_t { elf, other };

/// What a file says about itself without being run.
struct program_table {
  file_kind kind = file_kind::other;
  std::vector<compiled_tool> tools;  ///< each once, in the order of the file
  std::string amd_code;              ///< the section .hip_fatbin, if `pasta hipcc --tools` built code in it
};

/// Reads the sections .pasta_tools and .hip_fatbin by libelf.
/// @throws command_error with one line if the file cannot be read or is damaged
program_table read_program_table(std::string const& path);

/// Whether the file is an ELF file that is whole: loading a shared library that was cut short would end in SIGBUS.
/// @return "" or one line that says what is wrong
std::string elf_damage(std::string const& path);

}  // namespace pasta::cli
#endif
