// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the words of an nvcc command line say that `pasta nvcc` has to know. They are passed on as they are.
#ifndef PASTA_TOOLS_PASTA_NVCC_WORDS_HPP
#define PASTA_TOOLS_PASTA_NVCC_WORDS_HPP

#include <cstddef>
#include <string>

#include "command.hpp"

namespace pasta::cli {

/// `ccache /usr/local/cuda/bin/nvcc -c a.cu`: a launcher, the compiler, its words. The first two may be missing.
struct nvcc_command {
  arguments launcher;
  std::string compiler;
  arguments words;
};

/// A compiler is a word whose file name is nvcc, if it is the first one or if what stands before it can be a command:
/// no option and no file that nvcc takes.
nvcc_command split_command(arguments const& words);

struct nvcc_request {
  bool names_architecture = false;     ///< -arch, -gencode, -code, under any of their names
  bool has_line_info = false;          ///< -lineinfo or -G
  bool compiles_device_code = false;   ///< there is a .cu file, or -x cu, and it is compiled
  bool has_ptx_input = false;          ///< a .ptx file that is not made by this call
  std::size_t real_architectures = 0;  ///< how many sm_… the options name
};

/// Reads the words, NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS and options files. A file that cannot be read is nvcc's to
/// tell.
nvcc_request examine(arguments const& words);

}  // namespace pasta::cli
#endif
