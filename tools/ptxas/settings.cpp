// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <pasta/report/visible.hpp>
#include <pasta/session/settings.hpp>
#include "rewrite.hpp"

namespace pasta::ptxas {

namespace {

std::string_view variable(char const* name) {
  char const* const text = std::getenv(name);
  return text != nullptr ? text : "";
}

std::vector<std::string> parse_tools(std::string_view text) {
  std::vector<std::string> tools;
  std::vector<std::string> const known = text.empty() ? std::vector<std::string>() : known_tools();
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t const end = std::min(text.find(',', begin), text.size());
    std::string_view const tool = text.substr(begin, end - begin);
    begin = end + 1;
    if (std::find(known.begin(), known.end(), tool) == known.end()) {
      throw usage_error(
          fmt::format("PASTA_PTX_TOOLS: unknown tool '{}' (known: {})", visible(tool), fmt::join(known, ", ")));
    }
    if (std::find(tools.begin(), tools.end(), tool) != tools.end()) {
      throw usage_error(fmt::format("PASTA_PTX_TOOLS names {} twice", tool));
    }
    tools.emplace_back(tool);
  }
  std::sort(tools.begin(), tools.end());
  return tools;
}

register_policy parse_registers(std::string_view text) {
  if (text.empty() || text == "occupancy") return register_policy::occupancy;
  if (text == "native") return register_policy::native;
  if (text == "free") return register_policy::free;
  throw usage_error(fmt::format("PASTA_PTX_REGISTERS={} is none of occupancy, native, free", visible(text)));
}

}  // namespace

settings read_settings() {
  settings read;
  auto const is_on = [](char const* name) { return detail::parse_switch(name, variable(name)); };
  read.is_debugging = is_on("PASTA_DEBUG");
  read.tools = parse_tools(variable("PASTA_PTX_TOOLS"));
  if (read.tools.empty()) return read;
  read.is_strict = is_on("PASTA_PTX_STRICT");
  read.is_in_place = is_on("PASTA_PTX_IN_PLACE");
  read.registers = parse_registers(variable("PASTA_PTX_REGISTERS"));
  read.report = variable("PASTA_PTX_REPORT");
  read.originals = variable("PASTA_PTX_ORIGINALS");
  return read;
}

}  // namespace pasta::ptxas
