// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the environment asks of the drop-in. README.md lists the variables.
#ifndef PASTA_TOOLS_PTXAS_SETTINGS_HPP
#define PASTA_TOOLS_PTXAS_SETTINGS_HPP

#include <string>
#include <vector>

namespace pasta::ptxas {

struct settings {
  std::vector<std::string> tools;  ///< PASTA_PTX_TOOLS, in alphabetical order; empty: behave as ptxas
  bool is_strict = false;          ///< PASTA_PTX_STRICT
  bool is_debugging = false;       ///< PASTA_DEBUG
  bool is_in_place = false;        ///< PASTA_PTX_IN_PLACE: an instrumented text takes the place of its file
  std::string originals;           ///< PASTA_PTX_ORIGINALS: a folder for what was replaced; empty: none is kept
};

/// @throws pasta::usage_error for a value that is not right
settings read_settings();

}  // namespace pasta::ptxas
#endif
