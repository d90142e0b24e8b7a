// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "marker.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <pasta/config.hpp>

namespace pasta::ptxas {

namespace {

constexpr std::string_view marker_start = "// instrumented by PASTA ";

}  // namespace

std::string make_marker(std::span<std::string const> tools) {
  return fmt::format("{}{}: {}", marker_start, PASTA_VERSION, fmt::join(tools, ","));
}

std::string_view find_marker(std::string_view text) noexcept {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with(marker_start)) return line;
    std::size_t const first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && !line.substr(first).starts_with("//")) return {};
  }
  return {};
}

}  // namespace pasta::ptxas
