// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_OUTPUT_HPP
#define PASTA_TOOLS_PASTA_OUTPUT_HPP

#include <string_view>

namespace pasta::cli {

/// Writes to standard output. A reader that has gone away (`pasta list | head -1`) is no error.
/// @throws command_error if it cannot be written, as on a full disk
void print(std::string_view text);

/// Writes one line to standard error: "pasta: ..." or, once a subcommand is known, "pasta run: ...". Never throws.
void complain(std::string_view line);

/// Writes a text to standard error as it is. Never throws.
void print_error_stream(std::string_view text);

/// The subcommand named by complain().
void set_subcommand(std::string_view name);

}  // namespace pasta::cli
#endif
