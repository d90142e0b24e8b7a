// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_GUARD_HPP
#define PASTA_TOOLS_PTXAS_GUARD_HPP

#include <functional>

namespace pasta::ptxas {

/// Does work whose exceptions are one line for the user. @return its exit code, or the exception's. Never throws.
int guard(std::function<int()> const& work) noexcept;

/// The same in a process of its own, for work that may become another program, or die of a signal as one did. SIGINT,
/// SIGQUIT, SIGTERM and SIGHUP end both. @return as from waitpid @throws std::system_error
int guard_apart(std::function<int()> const& work);

}  // namespace pasta::ptxas
#endif
