// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// How this program knows itself, and copies of itself, among the files named ptxas.
#ifndef PASTA_TOOLS_PTXAS_PROGRAM_MARK_HPP
#define PASTA_TOOLS_PTXAS_PROGRAM_MARK_HPP

#include <string>

namespace pasta::ptxas {

enum class kinship : std::uint8_t {
  stranger,
  itself,  ///< the file that runs, under this or another name
  copy     ///< another file with this program in it, of this or another version
};

/// Reads the start of the file. A script is a stranger, whatever it starts.
kinship compare_with_this_program(std::string const& path);

/// Whether the file is machine code that the kernel starts without an interpreter.
bool is_machine_code(std::string const& path);

}  // namespace pasta::ptxas
#endif
