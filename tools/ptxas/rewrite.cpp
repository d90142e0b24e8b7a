// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "rewrite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

#include <pasta/instrument/ptx/instrument.hpp>
#include <pasta/report/visible.hpp>
#include "hook_files.hpp"
#include "marker.hpp"
#include "packed_table.hpp"

namespace pasta::ptxas {

namespace {

// Only counts, and so needs no hook. With its hook it is the same.
constexpr std::string_view counting_tool = "access_count";

// What ptx::read() is made for.
constexpr int oldest_version = 6, newest_version = 9;

rewritten refuse(std::string_view source, std::string reason) {
  return {std::string(source), {}, false, std::move(reason)};
}

int major_version(std::string_view version) {
  int number = 0;
  std::from_chars(version.data(), version.data() + version.size(), number);
  return number;
}

std::string text_of(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (file) text.assign(std::istreambuf_iterator<char>(file), {});
  if (!file || text.empty()) throw ptx::bad_hook(fmt::format("the hook {} cannot be read", path.string()));
  return text;
}

std::vector<ptx::hook> hooks_of(std::vector<std::string> const& tools, std::string_view target) {
  std::vector<hook_file> const files = find_hooks();
  std::vector<ptx::hook> hooks;
  hooks.reserve(tools.size());
  for (std::string const& tool : tools) {
    hook_file const* const file = choose_hook(files, tool, ptx::detail::architecture(target));
    if (file != nullptr) {
      hooks.emplace_back(tool, text_of(file->path));
    } else if (tool == counting_tool) {
      hooks.push_back(ptx::hook::counting(tool));
    } else {
      throw ptx::bad_hook(fmt::format("the tool {} has no hook", tool));
    }
  }
  return hooks;
}

}  // namespace

std::vector<std::string> known_tools() {
  std::vector<std::string> names{std::string(counting_tool)};
  for (hook_file const& each : find_hooks()) names.push_back(each.tool);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

rewritten rewrite(std::string_view source, rewrite_options const& options) {
  std::string const marker = make_marker(options.tools);
  if (std::string_view const found = find_marker(source); !found.empty()) {
    if (found == marker) return {std::string(source), {}, true, {}};
    return refuse(source, fmt::format("it has the marker '{}' already", visible(found)));
  }
  try {
    ptx::module const module = ptx::read(source);
    int const version = major_version(module.version);
    if (version < oldest_version || version > newest_version) {
      return refuse(source, fmt::format("PTX of version '{}' is not known, only {}.0 to {}.x", visible(module.version),
                                        oldest_version, newest_version));
    }
    ptx::instrumented counted =
        ptx::instrument(module, hooks_of(options.tools, module.target), {ptx::pack_table, options.short_of_registers});
    rewritten result{counted.is_changed ? fmt::format("{}\n{}", marker, counted.text) : std::string(source),
                     {},
                     counted.is_changed,
                     {}};
    for (ptx::table_function const& function : counted.table.functions) {
      for (ptx::left_out_tool const& each : function.without) {
        result.warnings.push_back(fmt::format("the function {} has nothing of {}: {}", visible(function.name),
                                              visible(each.tool), visible(each.why)));
      }
      if (function.why.empty()) continue;
      result.warnings.push_back(
          fmt::format("the function {} is not instrumented: {}", visible(function.name), visible(function.why)));
    }
    return result;
  } catch (ptx::read_error const& e) {
    return refuse(source, e.what());
  } catch (ptx::bad_hook const& e) {
    return refuse(source, visible(e.what()));
  } catch (ptx::cannot_instrument const& e) {
    return refuse(source, e.what());
  }
}

}  // namespace pasta::ptxas
