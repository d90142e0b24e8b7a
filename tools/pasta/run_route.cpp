// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "run_route.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#include <system_error>

#include <pasta/report/visible.hpp>
#include <pasta/session/pack_name.hpp>
#include "amd_code.hpp"
#include "command.hpp"
#include "suggest.hpp"

namespace pasta::cli {

namespace {

bool is_open(run_options const& options) { return options.route.empty() || options.route == "auto"; }

/// @throws usage_error: the program was not built with the tools
[[noreturn]] void refuse_tools(run_options const& options, std::string const& program, program_table const& table) {
  std::set<std::string> known;
  std::vector<std::string> packs;
  for (compiled_tool const& tool : table.tools) {
    if (!is_open(options) && tool.route != options.route) continue;
    auto const members = tools_of_pack(tool.pack);
    known.insert(members.begin(), members.end());
    packs.push_back(tool.pack);
  }
  std::string const has = packs.empty()
                              ? fmt::format("{} was not built for the route {}", visible(program), options.route)
                              : fmt::format("{} was built with {}", visible(program), visible(joined(packs, ", ")));
  for (std::string const& tool : options.tools) {
    if (known.count(tool) != 0) continue;
    throw usage_error(
        fmt::format("unknown tool '{}'{}; {}", visible(tool), suggestion(tool, {known.begin(), known.end()}), has));
  }
  std::string const pack = visible(joined(options.tools, "+"));
  throw usage_error(fmt::format("no {} in this program; {}; add {} to its pasta_instrument(... TOOLS ...)",
                                options.tools.size() == 1 ? pack + " alone" : "pack " + pack, has, pack));
}

/// The pack of the probe or llvm route as the program spells it, or "".
std::string find_compiled_pack(run_options const& options, program_table const& table) {
  std::vector<std::string> wanted = options.tools;
  std::sort(wanted.begin(), wanted.end());
  for (compiled_tool const& tool : table.tools) {
    bool const is_of_route =
        is_open(options) ? tool.route == "probe" || tool.route == "llvm" : tool.route == options.route;
    if (is_of_route && tools_of_pack(tool.pack) == wanted) return tool.pack;
  }
  return "";
}

bool has_probe_pack(run_options const& options, program_table const& table) {
  std::vector<std::string> wanted = options.tools;
  std::sort(wanted.begin(), wanted.end());
  return is_open(options) && std::any_of(table.tools.begin(), table.tools.end(), [&](compiled_tool const& tool) {
           return tool.route == "probe" && tools_of_pack(tool.pack) == wanted;
         });
}

/// Each tool of the ptx route has counters of its own: any of them may be run.
bool has_ptx_tools(run_options const& options, program_table const& table) {
  std::set<std::string> known;
  for (compiled_tool const& tool : table.tools) {
    if (tool.route != "ptx") continue;
    for (std::string const& name : split_names(tool.pack, "+,")) known.insert(name);
  }
  return std::all_of(options.tools.begin(), options.tools.end(),
                     [&](std::string const& tool) { return known.count(tool) != 0; });
}

/// For a program that does not say itself what it was built with: a script, or one that starts an instrumented one.
void check_installed(run_options const& options, installed_tools const& installed) {
  if (installed.tools.empty()) return;
  for (std::string const& tool : options.tools) {
    if (installed.find(tool) != nullptr) continue;
    throw usage_error(fmt::format("unknown tool '{}'{} (installed: {}; PASTA_TOOL_PATH names more folders)",
                                  visible(tool), suggestion(tool, installed.names()),
                                  visible(joined(installed.names(), ", "))));
  }
}

/// Which of a tool's events the ptx route does not deliver, as a part of a line; empty: all are.
std::string missing_on_ptx(tool_description const& tool) {
  std::vector<std::string> blocks, others;
  static constexpr std::string_view delivered[] = {"memory_access",    "async_copy", "barrier",      "branch",
                                                   "matrix_operation", "call",       "thread_enter", "thread_exit"};
  for (std::string const& event : tool.events) {
    if (std::find(std::begin(delivered), std::end(delivered), event) != std::end(delivered)) continue;
    (event == "block_enter" || event == "block_exit" ? blocks : others).push_back(event);
  }
  std::string text;
  if (!blocks.empty()) {
    text += fmt::format(", which has no {} (a barrier of the block would be needed, and it adds none)",
                        visible(joined(blocks, ", ")));
  }
  if (!others.empty())
    text += fmt::format("{} no {}", blocks.empty() ? ", which has" : " and", visible(joined(others, ", ")));
  return text;
}

/// @throws usage_error where a route is to sample blocks that cannot
void refuse_block_sample(run_options const& options, char const* route) {
  if (options.sample_blocks.empty() || std::stod(options.sample_blocks) >= 1) return;
  throw usage_error(
      fmt::format("--sample-blocks {}: {} analyses whole launches; the patch route and the CPU engine sample blocks",
                  options.sample_blocks, route));
}

/// The collector for NVIDIA GPUs where ptx is not named. On the route auto it loads that of the patch route itself.
std::string open_library(run_options const& options) {
  std::string const library = ptx_library();
  return library.empty() && options.route == "auto" ? patch_library() : library;
}

/// What the ptx route cannot do is refused before the program starts; on the route auto a report says it.
run_route ptx_route(run_options const& options, installed_tools const& installed) {
  if (options.route != "auto") refuse_block_sample(options, "the ptx route");
  check_installed(options, installed);
  for (std::string const& name : options.tools) {
    tool_description const* const tool = installed.find(name);
    if (tool == nullptr || std::count(tool->routes.begin(), tool->routes.end(), "ptx") != 0) continue;
    throw usage_error(fmt::format("{} does not have the route ptx{}; it has {}", visible(name), missing_on_ptx(*tool),
                                  tool->routes.empty() ? "none" : visible(joined(tool->routes, ", "))));
  }
  std::string const library = open_library(options);
  if (library.empty())
    throw command_error("the route ptx has no collector here: PASTA was built without CUDA's headers (pasta doctor)");
  return {options.route == "auto" ? "auto" : "ptx", joined(options.tools, "+"), library, ""};
}

/// Why a tool does not have the patch route, as a part of a line.
std::string why_not_patch(tool_description const& tool) {
  static constexpr std::string_view delivered[] = {"memory_access", "async_copy",   "barrier",
                                                   "call",          "thread_enter", "thread_exit"};
  std::vector<std::string> missing;
  for (std::string const& event : tool.events) {
    if (std::find(std::begin(delivered), std::end(delivered), event) == std::end(delivered)) missing.push_back(event);
  }
  if (!missing.empty()) return fmt::format(", which has no {}", visible(joined(missing, ", ")));
  if (tool.events.empty()) return ", which has only events of a GPU";
  return ": what it keeps for each thread would be in memory there; site_state and kernel_state are merged on all "
         "routes";
}

/// As ptx_route().
run_route patch_route(run_options const& options, installed_tools const& installed) {
  check_installed(options, installed);
  if (options.tools.size() > 1) throw usage_error("the route patch runs one tool at a time");
  std::string const& name = options.tools.front();
  if (tool_description const* const tool = installed.find(name); tool != nullptr) {
    if (std::count(tool->routes.begin(), tool->routes.end(), "patch") == 0) {
      throw usage_error(fmt::format("{} does not have the route patch{}; it has {}", visible(name),
                                    why_not_patch(*tool),
                                    tool->routes.empty() ? "none" : visible(joined(tool->routes, ", "))));
    }
    std::string const patches = tool->path.substr(0, tool->path.rfind('.')) + ".patch.fatbin";
    if (::access(patches.c_str(), R_OK) != 0) {
      throw command_error(fmt::format(
          "{} was built without patches, {} is not there: build it where nvcc and sanitizer.h are (pasta doctor)",
          visible(name), visible(patches)));
    }
  }
  std::string const library = patch_library();
  if (library.empty())
    throw command_error("the route patch has no collector here: PASTA was built without sanitizer.h (pasta doctor)");
  return {"patch", name, library, ""};
}

/// @throws usage_error: no code for AMD GPUs in the program has one of the tools
void check_amd_tools(run_options const& options, std::string const& program, program_table const& table) {
  std::vector<std::string> known;
  for (amd_tools const& each : read_amd_tools(table.amd_code)) {
    for (std::string const& tool : split_names(each.tools, "+")) known.push_back(tool);
  }
  if (known.empty()) return;  // the library will see
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (std::string const& tool : options.tools) {
    if (std::find(known.begin(), known.end(), tool) != known.end()) continue;
    throw usage_error(fmt::format("unknown tool '{}'{}; {} was built with {} for AMD GPUs", visible(tool),
                                  suggestion(tool, known), visible(program), visible(joined(known, ", "))));
  }
}

/// What the llvm route cannot do on AMD GPUs is refused before the program starts.
run_route hip_route(run_options const& options, std::string const& program, program_table const& table,
                    installed_tools const& installed) {
  check_installed(options, installed);
  refuse_block_sample(options, "the llvm route on AMD GPUs");
  check_amd_tools(options, program, table);
  std::string const library = hip_library();
  if (library.empty()) {
    throw command_error(
        "the route llvm has no collector for AMD GPUs here: PASTA was built without HIP's headers (libamdhip64-dev)");
  }
  return {"llvm", joined(options.tools, "+"), "", library};
}

/// A file of this installation's lib/pasta, or "".
std::string own_library(char const* name) {
  std::string const own = own_folder();
  if (own.empty()) return "";
  std::string const path = (std::filesystem::path(own).parent_path() / "lib/pasta" / name).string();
  return ::access(path.c_str(), R_OK) == 0 ? path : "";
}

// The loader takes both for the end of a path.
bool can_be_preloaded(std::string const& library) { return library.find_first_of(" :") == std::string::npos; }

/// A path to the library that the loader takes: a link of the user's in the folder for temporary files, which stays.
/// @throws command_error
std::string link_for_loader(std::string const& library) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::string link = (fs::temp_directory_path(error) /
                      fmt::format("pasta-{}-{:016x}.so", ::geteuid(), std::hash<std::string>{}(library)))
                         .string();
  bool is_own = false;
  if (!error && can_be_preloaded(link)) {
    is_own = ::symlink(library.c_str(), link.c_str()) == 0;
    struct stat about {};
    if (!is_own && ::lstat(link.c_str(), &about) == 0)  // anybody may make one there
      is_own = S_ISLNK(about.st_mode) && about.st_uid == ::geteuid() && fs::read_symlink(link, error) == library;
  }
  if (is_own) return link;
  throw command_error(fmt::format(
      "{} cannot be loaded before a program: the loader takes blanks and colons in its path for the end of it, and {} "
      "is no link to it that pasta can make",
      visible(library), visible(link)));
}

}  // namespace

std::string ptx_library() { return own_library("libpasta_ptx.so"); }
std::string patch_library() { return own_library("libpasta_patch.so"); }
std::string hip_library() { return own_library("libpasta_hip.so"); }

run_route choose_route(run_options const& options, std::string const& program, program_table const& table,
                       installed_tools const& installed) {
  if (!options.spaces.empty() && options.route != "patch") throw usage_error("--spaces goes with --route patch alone");
  // The table says what its own file was built with, and nothing of the libraries that it loads.
  if (options.route == "ptx") return ptx_route(options, installed);
  if (options.route == "patch") return patch_route(options, installed);
  bool const is_for_amd = !table.amd_code.empty() && (is_open(options) || options.route == "llvm");
  if (is_for_amd && !has_probe_pack(options, table)) return hip_route(options, program, table, installed);
  if (std::string const pack = find_compiled_pack(options, table); !pack.empty()) return {options.route, pack, "", ""};
  if (table.tools.empty()) {
    check_installed(options, installed);
    return {options.route, joined(options.tools, "+"), is_open(options) ? open_library(options) : "",
            options.route == "llvm" ? hip_library() : ""};
  }
  if (is_open(options) && has_ptx_tools(options, table)) return ptx_route(options, installed);
  refuse_tools(options, program, table);
}

std::vector<std::pair<std::string, std::string>> injection_variables(run_route const& route) {
  std::vector<std::pair<std::string, std::string>> variables;
  std::string const& library = route.library;
  if (library.empty()) return variables;
  char const* const before = std::getenv("CUDA_INJECTION64_PATH");
  if (before != nullptr && *before != '\0' && library != before)
    variables.emplace_back("PASTA_PTX_NEXT_INJECTION", before);
  variables.emplace_back("CUDA_INJECTION64_PATH", library);
  variables.emplace_back("PASTA_ANNOTATIONS", library);
  return variables;
}

std::vector<std::pair<std::string, std::string>> preload_variables(std::string const& library) {
  if (library.empty()) return {};
  std::string const path = can_be_preloaded(library) ? library : link_for_loader(library);
  char const* const before = std::getenv("LD_PRELOAD");
  bool const is_set = before != nullptr && *before != '\0';
  return {{"LD_PRELOAD", is_set ? fmt::format("{}:{}", path, before) : path}};
}

}  // namespace pasta::cli
