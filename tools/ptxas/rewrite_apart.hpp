// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_REWRITE_APART_HPP
#define PASTA_TOOLS_PTXAS_REWRITE_APART_HPP

#include <functional>

#include "memory_file.hpp"
#include "rewrite.hpp"

namespace pasta::ptxas {

/// Does the work in a process of its own, so that whatever becomes of it (a crash, no memory, an exception) is a result
/// that is not instrumented, with the reason. Only for a process with one thread.
/// @param text empty; gets the result's text, whose own text is empty @throws std::system_error
rewritten rewrite_apart(std::function<rewritten()> const& work, memory_file& text);

}  // namespace pasta::ptxas
#endif
