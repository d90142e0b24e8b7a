// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_COLLECTING_TOOL_LIBRARY_HPP
#define PASTA_TOOLS_COLLECTING_TOOL_LIBRARY_HPP

#include <pasta/session/ptx/tool_exchange.hpp>
#include <string>

namespace pasta::collecting {

/// The folder of the library that this code is in; "" where it is not known.
std::string own_folder();

/// A tool's shared library, loaded to make the tool's report.
class tool_library {
 public:
  /// Looks in the folders of PASTA_TOOL_PATH, then in `tools` beside this library.
  /// @throws ptx::table_error with half a line for a tool that is not there, is of another PASTA or cannot do the route
  explicit tool_library(std::string const& tool);

  std::string const& name() const { return name_; }
  /// Of the shared library.
  std::string const& path() const { return path_; }
  /// What the library exports under the name, or null.
  void* find(char const* symbol) const;
  /// Asks the tool. Its answer, or its error, is in `about` afterwards.
  void ask(ptx::tool_exchange& about) const { ask_(&about); }

 private:
  std::string name_, path_;
  void* library_ = nullptr;
  void (*ask_)(ptx::tool_exchange*) = nullptr;
};

}  // namespace pasta::collecting
#endif
