// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What `ptxas -v` says of the kernels that it assembles. Spills stand nowhere else; a cubin has only the rest.
#ifndef PASTA_TOOLS_PTXAS_FIGURES_HPP
#define PASTA_TOOLS_PTXAS_FIGURES_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptxas {

struct kernel_figures {
  std::string name;                 ///< as in PTX
  std::string target;               ///< `sm_90a`
  std::uint32_t registers = 0;      ///< of a thread
  std::uint64_t stack_bytes = 0;    ///< frame of the kernel itself
  std::uint64_t spill_bytes = 0;    ///< stores and loads in the code, also of the functions that it may call
  std::uint64_t static_shared = 0;  ///< [bytes]
};

/// Which kernel a function's figures belong to.
enum class linking : std::uint8_t {
  whole_program,  ///< ptxas names the functions that a kernel may call behind it, once for each kernel
  relocatable     ///< functions stand for themselves (-c)
};

/// @return in ptxas's order; without kernels of which a line is missing
std::vector<kernel_figures> read_figures(std::string_view messages, linking how);

/// The messages as they are without -v.
std::string without_figures(std::string_view messages);

}  // namespace pasta::ptxas
#endif
