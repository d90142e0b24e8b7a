// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_ASSEMBLE_HPP
#define PASTA_TOOLS_PTXAS_ASSEMBLE_HPP

#include <string>
#include <vector>

#include "settings.hpp"

namespace pasta::ptxas {

/// Does what ptxas does with these words, on instrumented texts where that is possible.
/// @param ptxas path of the vendor's program @param words behind the program's name
/// @param shown how messages name the only input; empty: by its name
/// @return the exit code; the process may also become the vendor's program, or die of a signal as that did
/// @throws cli::command_error
int assemble(std::string const& ptxas, std::vector<std::string> const& words, settings const& wanted,
             std::string const& shown = {});

}  // namespace pasta::ptxas
#endif
