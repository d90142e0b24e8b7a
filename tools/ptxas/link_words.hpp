// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What nvlink's words become when a link is done in steps: to PTX, to machine code, and together with the rest.
#ifndef PASTA_TOOLS_PTXAS_LINK_WORDS_HPP
#define PASTA_TOOLS_PTXAS_LINK_WORDS_HPP

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.hpp"
#include "figures.hpp"

namespace pasta::ptxas {

/// For nvlink: the PTX of what is optimised at link time. It writes no other file.
std::vector<std::string> words_to_ptx(command_line const& line, std::string const& ptx);

/// For ptxas: what nvlink gives to the ptxas within it, as the notes of its cubins tell.
std::vector<std::string> words_to_assemble(command_line const& line, linking how, std::string const& ptx,
                                           std::string const& output);

/// The inputs that nvlink says are not made for link-time optimisation: `a.o`, `libb.a:c.o`.
std::vector<std::string> read_other_inputs(std::string_view messages);

/// For nvlink: the assembled object and the inputs that are not made for link-time optimisation.
std::vector<std::string> words_to_join(command_line const& line, std::span<std::string const> other_inputs,
                                       std::string const& object, std::string const& output);

}  // namespace pasta::ptxas
#endif
