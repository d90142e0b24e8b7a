// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_FIND_PTXAS_HPP
#define PASTA_TOOLS_PTXAS_FIND_PTXAS_HPP

#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptxas {

/// The name under which the vendor's program may stand beside this one, as a file or a symbolic link.
inline constexpr std::string_view sibling_name = "ptxas.real";

struct found_ptxas {
  std::string path;
  std::string reason;  ///< how it was found: `CUDA_HOME`
};

/// Looks for the vendor's ptxas, in this order: PASTA_PTXAS, ptxas.real beside this program or the link by which it was
/// called, bin of CUDA_HOME and of CUDA_PATH, beside the nvcc that stands beside this program, beside the first nvcc in
/// PATH, PATH, /usr/local/cuda/bin. Never this program or a copy of it.
/// @param refused gets a line for each file that was looked at and not taken, and why
/// @throws cli::command_error: exit code 127 if there is none; if PASTA_PTXAS is wrong, nothing else is looked at
found_ptxas find_ptxas(std::vector<std::string>& refused);

}  // namespace pasta::ptxas
#endif
