// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// make_toolkit_view TOOLKIT DROP_IN AT, for the tests.
#include <fmt/format.h>

#include <command.hpp>
#include <toolkit_view.hpp>

int main(int count, char** words) {
  if (count != 4) return 2;
  try {
    pasta::ptxas::make_toolkit_view(words[1], words[2], words[3]);
    return 0;
  } catch (pasta::cli::command_error const& e) {
    fmt::print(stderr, "{}\n", e.what());
    return e.exit_code;
  }
}
