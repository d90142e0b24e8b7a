// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_CAPTURE_HPP
#define PASTA_TOOLS_PASTA_CAPTURE_HPP

#include <optional>
#include <string>
#include <vector>

namespace pasta::cli {

/// Runs a helper program and returns what it wrote to standard output, at most 1 MiB; its standard error is dropped.
/// @param input what it reads from standard input, at most 60,000 bytes (it is put into a pipe before the program
///     starts)
/// @return empty if it is not found, ends with another status than 0 or takes more than 20 s
std::optional<std::string> capture(std::vector<std::string> const& command, std::string const& input);

}  // namespace pasta::cli
#endif
