// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_NEW_TEMPLATES_HPP
#define PASTA_TOOLS_PASTA_NEW_TEMPLATES_HPP

#include <string_view>
#include <vector>

namespace pasta::cli {

/// A file of a new tool. In both texts @NAME@ stands for the tool's name, @NAME_UPPER@ for that in capitals.
struct file_template {
  std::string_view name;
  std::string_view text;
};

/// The files of new_tool/, compiled into this program.
std::vector<file_template> const& new_tool_templates();

}  // namespace pasta::cli
#endif
