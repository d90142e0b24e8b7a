// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_PARSE_HPP
#define PASTA_TOOLS_PASTA_PARSE_HPP

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "command.hpp"

namespace pasta::cli {

enum class parsed : std::uint8_t { go_on, help_was_shown };

/// A CLI11 application set up alike for each subcommand.
/// @param usage the line after "Usage:"
std::unique_ptr<CLI::App> make_app(std::string const& usage, std::string const& summary);

/// Parses the words. @throws usage_error with one line; an unknown flag is named with the nearest known one.
parsed parse(CLI::App& app, arguments const& words);

}  // namespace pasta::cli
#endif
