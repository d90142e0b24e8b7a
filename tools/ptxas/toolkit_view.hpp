// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_TOOLKIT_VIEW_HPP
#define PASTA_TOOLS_PTXAS_TOOLKIT_VIEW_HPP

#include <filesystem>

namespace pasta::ptxas {

/// Makes a folder that stands for a CUDA toolkit and whose nvcc calls the drop-in: links to all that the toolkit has,
/// but bin/ptxas and bin/nvlink lead to the drop-in, bin/ptxas.real and bin/nvlink.real to what the toolkit has there.
/// nvcc looks for its programs in the folder by which it was called; CMake takes bin/nvcc as CMAKE_CUDA_COMPILER.
///
/// A folder that is right already is left alone, one for another toolkit or drop-in is replaced at once. Several
/// processes may do this at the same time: `at` is complete or not there.
/// @param toolkit has bin/nvcc and bin/ptxas @param drop_in the program pasta_ptxas @param at its parent exists
/// @throws cli::command_error if toolkit is none, `at` is something else, or the file system refuses
void make_toolkit_view(std::filesystem::path const& toolkit, std::filesystem::path const& drop_in,
                       std::filesystem::path const& at);

}  // namespace pasta::ptxas
#endif
