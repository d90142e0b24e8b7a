// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_RUN_ROUTE_HPP
#define PASTA_TOOLS_PASTA_RUN_ROUTE_HPP

#include <string>
#include <utility>
#include <vector>

#include "elf_table.hpp"
#include "installed_tools.hpp"
#include "run_options.hpp"

namespace pasta::cli {

/// How a program's events are to get to the tools.
struct run_route {
  std::string name;     ///< for PASTA_ROUTE; "": not given, the process decides
  std::string pack;     ///< for PASTA_TOOLS, spelt as the program spells it
  std::string library;  ///< that the driver is to load; "": none
  std::string preload;  ///< that the loader is to put before the HIP runtime; "": none
};

/// From what was asked for, what the program says it was built with, and what is installed. A program that says nothing
/// may be a script, or start others: its processes find out.
/// @throws usage_error, command_error
run_route choose_route(run_options const& options, std::string const& program, program_table const& table,
                       installed_tools const& installed);

/// The collectors of these routes in this installation, or "".
std::string ptx_library();
std::string patch_library();

/// The collector of the llvm route on AMD GPUs in this installation, or "".
std::string hip_library();

/// Variables that have the loader load the library before those that the user has it load.
/// @throws command_error for a path that the loader cannot take
std::vector<std::pair<std::string, std::string>> preload_variables(std::string const& library);

/// Variables that have the driver load the route's library, and after it the one that the user had it load.
std::vector<std::pair<std::string, std::string>> injection_variables(run_route const& route);

}  // namespace pasta::cli
#endif
