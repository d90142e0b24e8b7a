// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "rewrite.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include <pasta/instrument/ptx/instrument.hpp>
#include <pasta/report/visible.hpp>
#include "marker.hpp"

namespace pasta::ptxas {

namespace {

constexpr std::array<std::string_view, 1> tools_by_name{"access_count"};

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

}  // namespace

std::span<std::string_view const> known_tools() { return tools_by_name; }

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
    ptx::instrumented counted = ptx::count_accesses(module, options.tools);
    bool const has_sites = counted.sites > 0;
    rewritten result{has_sites ? fmt::format("{}\n{}", marker, counted.text) : std::string(source), {}, has_sites, {}};
    for (ptx::table_function const& function : counted.table.functions) {
      if (function.why.empty()) continue;
      result.warnings.push_back(
          fmt::format("the function {} is not instrumented: {}", visible(function.name), visible(function.why)));
    }
    return result;
  } catch (ptx::read_error const& e) {
    return refuse(source, e.what());
  } catch (ptx::cannot_instrument const& e) {
    return refuse(source, e.what());
  }
}

}  // namespace pasta::ptxas
