// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include <pasta/report/visible.hpp>
#include "amd_code.hpp"
#include "command.hpp"
#include "elf_table.hpp"
#include "installed_tools.hpp"
#include "output.hpp"
#include "parse.hpp"
#include "run_options.hpp"

namespace pasta::cli {

namespace {

using nlohmann::ordered_json;

/// JSON text; a byte that is not UTF-8 becomes U+FFFD: these are names for reading.
std::string json_text(ordered_json const& value) {
  return value.dump(1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

int list_program(std::string const& path, bool as_json) {
  program_table const table = read_program_table(path);
  if (as_json) {
    ordered_json tools = ordered_json::array();
    for (compiled_tool const& tool : table.tools) {
      ordered_json entry;
      entry["route"] = tool.route;
      entry["pack"] = tool.pack;
      entry["pasta_version"] = tool.pasta_version;
      tools.push_back(entry);
    }
    for (amd_tools const& each : read_amd_tools(table.amd_code)) {
      ordered_json entry;
      entry["route"] = "llvm";
      entry["pack"] = each.tools;
      entry["pasta_version"] = each.pasta_version;
      entry["targets"] = each.targets;
      tools.push_back(entry);
    }
    ordered_json result;
    result["program"] = path;
    result["is_elf"] = table.kind == file_kind::elf;
    result["tools"] = tools;
    print(json_text(result));
    return exit_done;
  }
  if (table.kind != file_kind::elf) {
    throw command_error(fmt::format("{} is not an ELF program: nothing can be compiled into it", visible(path)));
  }
  if (table.tools.empty() && table.amd_code.empty()) {
    print(fmt::format(
        "no tool is compiled into {}; pasta_instrument() in its CMakeLists.txt does that, or pasta nvcc, pasta hipcc\n",
        visible(path)));
    return exit_done;
  }
  std::vector<std::pair<std::string, std::string>> lines;  // a pack, and what is said of it
  for (compiled_tool const& tool : table.tools) {
    lines.emplace_back(visible(tool.pack),
                       fmt::format("route {}  PASTA {}", visible(tool.route), visible(tool.pasta_version)));
  }
  for (amd_tools const& each : read_amd_tools(table.amd_code)) {
    lines.emplace_back(visible(each.tools), fmt::format("route llvm  PASTA {}  AMD {}", each.pasta_version,
                                                        visible(joined(each.targets, ", "))));
  }
  std::size_t width = 0;
  for (auto const& line : lines) width = std::max(width, display_width(line.first));
  std::string text;
  for (auto const& [pack, rest] : lines)
    text += fmt::format("{}{:{}}  {}\n", pack, "", width - display_width(pack), rest);
  print(text);
  return exit_done;
}

ordered_json json_of(tool_description const& tool) {
  ordered_json options = ordered_json::array();
  for (tool_option const& option : tool.options) {
    ordered_json entry;
    entry["name"] = option.name;
    entry["default"] = option.default_value;
    entry["help"] = option.help;
    entry["minimum"] = option.minimum ? ordered_json(*option.minimum) : ordered_json(nullptr);
    entry["maximum"] = option.maximum ? ordered_json(*option.maximum) : ordered_json(nullptr);
    options.push_back(entry);
  }
  ordered_json result;
  result["tool"] = tool.tool;
  result["summary"] = tool.summary;
  result["pasta_version"] = tool.pasta_version;
  result["options"] = options;
  result["events"] = tool.events;
  result["routes"] = tool.routes;
  result["path"] = tool.path;
  return result;
}

std::string text_of(tool_description const& tool) {
  std::string routes;
  for (std::string const& route : tool.routes) routes += (routes.empty() ? "" : ", ") + visible(route);
  std::string text = fmt::format("{}  {}\n", visible(tool.tool), visible(tool.summary));
  if (!routes.empty()) text += fmt::format("    routes: {}\n", routes);
  for (tool_option const& option : tool.options) {
    std::string const left = fmt::format("--{} {}", visible(option.name), visible(option.default_value));
    text += fmt::format("    {:<28}  {}\n", left, visible(option.help));
  }
  return text;
}

int list_installed(bool as_json) {
  installed_tools const installed = find_installed_tools();
  for (std::string const& problem : installed.problems) complain(problem);
  if (as_json) {
    ordered_json tools = ordered_json::array();
    for (tool_description const& tool : installed.tools) tools.push_back(json_of(tool));
    ordered_json result;
    result["tools"] = tools;
    result["problems"] = installed.problems;
    result["folders"] = installed.folders;
    print(json_text(result));
    return exit_done;
  }
  std::string text;
  for (tool_description const& tool : installed.tools) text += text_of(tool);
  if (installed.tools.empty()) {
    text = "no tools are installed; looked in:\n";
    for (std::string const& folder : installed.folders) text += fmt::format("    {}\n", visible(folder));
  }
  print(text);
  return exit_done;
}

}  // namespace

int run_list(arguments const& words) {
  std::string program;
  bool as_json = false;
  auto const app = make_app("pasta list [PROGRAM] [--json]",
                            "Shows the installed tools, or the tools that a program was built with.");
  app->add_option("PROGRAM", program, "a program; it is read, not run");
  app->add_flag("--json", as_json, "write JSON");
  app->footer(
      "Tools are looked for in the folders of PASTA_TOOL_PATH and in lib/pasta/tools of the installation.\n\n"
      "Examples:\n  pasta list\n  pasta list ./vector_add");
  if (parse(*app, words) == parsed::help_was_shown) return exit_done;
  return program.empty() ? list_installed(as_json) : list_program(program, as_json);
}

}  // namespace pasta::cli
