// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_LINK_HPP
#define PASTA_TOOLS_PTXAS_LINK_HPP

#include <functional>
#include <string>
#include <vector>

#include "settings.hpp"

namespace pasta::ptxas {

/// Does what nvlink does with these words. Code that is optimised at link time (-dlto) comes out of nvlink as PTX, is
/// instrumented and assembled by ptxas, and takes the place of nvlink's output, which is made first: whatever goes
/// wrong, that stays. Without -dlto this process becomes nvlink.
/// @param nvlink path of the vendor's program @param words behind the program's name
/// @param find_ptxas its path; called once where it is needed
/// @return the exit code @throws cli::command_error
int link(std::string const& nvlink, std::vector<std::string> const& words, settings const& wanted,
         std::function<std::string()> const& find_ptxas);

}  // namespace pasta::ptxas
#endif
