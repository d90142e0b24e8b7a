// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include <pasta/report/write_file.hpp>
#include "command.hpp"

namespace pasta::cli {

namespace {

std::string& subcommand() {
  static std::string name;
  return name;
}

}  // namespace

void print(std::string_view text) {
  int const error = detail::write_all(STDOUT_FILENO, text);
  if (error == 0 || error == EPIPE) return;
  throw command_error(fmt::format("cannot write to standard output: {}", std::generic_category().message(error)));
}

void print_error_stream(std::string_view text) { detail::write_all(STDERR_FILENO, text); }

void complain(std::string_view line) {
  print_error_stream(fmt::format("pasta{}{}: {}\n", subcommand().empty() ? "" : " ", subcommand(), line));
}

void set_subcommand(std::string_view name) { subcommand() = name; }

}  // namespace pasta::cli
