// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_RUNTIME_TOOL_LIBRARY_HPP
#define PASTA_TOOLS_RUNTIME_TOOL_LIBRARY_HPP

#include <pasta/session/ptx/tool_exchange.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pasta::ptx {

/// A tool's shared library, loaded to make the tool's report.
class tool_library {
 public:
  /// Looks in the folders of PASTA_TOOL_PATH, then in `tools` beside this library.
  /// @throws table_error with half a line for a tool that is not there, is of another PASTA or cannot do the route
  explicit tool_library(std::string const& tool);

  std::string const& name() const { return name_; }
  /// Of the shared library.
  std::string const& path() const { return path_; }
  /// What the library exports under the name, or null.
  void* find(char const* symbol) const;
  /// Asks the tool. Its answer, or its error, is in `about` afterwards.
  void ask(tool_exchange& about) const { ask_(&about); }
  /// The tool's section of the report. @param notes gets what the tool has to say about the whole, and what went wrong
  tool_section report(collected const& rows, std::vector<std::pair<std::string, std::string>> const& options,
                      std::set<std::string>& notes) const;

 private:
  std::string name_, path_;
  void* library_ = nullptr;
  void (*ask_)(tool_exchange*) = nullptr;
};

}  // namespace pasta::ptx
#endif
