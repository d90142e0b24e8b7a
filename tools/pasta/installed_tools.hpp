// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_INSTALLED_TOOLS_HPP
#define PASTA_TOOLS_PASTA_INSTALLED_TOOLS_HPP

#include <optional>
#include <string>
#include <vector>

namespace pasta::cli {

/// One option of a tool, as its shared library describes it.
struct tool_option {
  std::string name;  ///< without dashes, words joined by "-": "sector-bytes"
  std::string default_value;
  std::string help;
  std::optional<double> minimum, maximum;
  bool is_number = false;
};

/// What a tool's shared library says about the tool (pasta_tool_description() in docs/architecture.md).
struct tool_description {
  std::string tool;
  std::string summary;
  std::string pasta_version;
  std::vector<tool_option> options;
  std::vector<std::string> events;
  std::vector<std::string> counts;  ///< those of events that are counted and have no handler
  std::vector<std::string> routes;
  std::string path;
};

struct installed_tools {
  std::vector<tool_description> tools;  ///< by name; the first folder that has a name wins
  std::vector<std::string> problems;    ///< one line for each library that could not be used
  std::vector<std::string> folders;     ///< where they were looked for

  tool_description const* find(std::string const& tool) const;
  std::vector<std::string> names() const;
};

/// Loads each shared library in the folders of PASTA_TOOL_PATH and in lib/pasta/tools beside this program, and asks it.
installed_tools find_installed_tools();

/// The folder of this program's file, or "".
std::string own_folder();

/// The folder of the CMake package that this program was built or installed with, or "".
std::string own_package_folder();

/// "sector_bytes" as "sector-bytes": how an option is written on the command line.
std::string option_spelling(std::string name);

}  // namespace pasta::cli
#endif
