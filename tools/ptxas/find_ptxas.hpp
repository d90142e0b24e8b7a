// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_FIND_PTXAS_HPP
#define PASTA_TOOLS_PTXAS_FIND_PTXAS_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptxas {

/// The end of the name under which the vendor's program may stand beside this one, as a file or a symbolic link.
inline constexpr std::string_view real_suffix = ".real";

/// The vendor's programs that this one stands in for.
enum class vendor_program : std::uint8_t { ptxas, nvlink };

struct found_program {
  std::string path;
  std::string reason;  ///< how it was found: `CUDA_HOME`
};

/// Looks for the vendor's program, in this order: PASTA_PTXAS, ptxas.real beside this program or the link by which it
/// was called, bin of CUDA_HOME and of CUDA_PATH, beside the nvcc that stands beside this program, beside the first
/// nvcc in PATH, PATH, /usr/local/cuda/bin; nvlink likewise, with PASTA_NVLINK and nvlink.real. Never this program or
/// a copy.
/// @param refused gets a line for each file that was looked at and not taken, and why
/// @throws cli::command_error: exit code 127 if there is none; if the variable is wrong, nothing else is looked at
found_program find_program(vendor_program which, std::vector<std::string>& refused);

/// The folders that an environment variable such as PATH names, parted by colons; empty names are left out.
std::vector<std::string> folders_in(char const* name);

}  // namespace pasta::ptxas
#endif
