// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the environment asks of the drop-in. README.md lists the variables.
#ifndef PASTA_TOOLS_PTXAS_SETTINGS_HPP
#define PASTA_TOOLS_PTXAS_SETTINGS_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace pasta::ptxas {

/// How many registers an instrumented kernel may take: PASTA_PTX_REGISTERS.
enum class register_policy : std::uint8_t {
  occupancy,  ///< as many as leave room for as many blocks as natively
  native,     ///< those of the native kernel, rounded up to what is given out
  free        ///< any
};

struct settings {
  std::vector<std::string> tools;  ///< PASTA_PTX_TOOLS, in alphabetical order; empty: behave as ptxas
  bool is_strict = false;          ///< PASTA_PTX_STRICT
  bool is_debugging = false;       ///< PASTA_DEBUG
  bool is_in_place = false;        ///< PASTA_PTX_IN_PLACE: an instrumented text takes the place of its file
  register_policy registers = register_policy::occupancy;
  std::string report;     ///< PASTA_PTX_REPORT: a file that gets a line for each kernel; empty: none
  std::string originals;  ///< PASTA_PTX_ORIGINALS: a folder for what was replaced; empty: none is kept
};

/// @throws pasta::usage_error for a value that is not right
settings read_settings();

}  // namespace pasta::ptxas
#endif
