// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "line_map.hpp"

#include <algorithm>

#include <pasta/instrument/ptx/token.hpp>
#include "lines.hpp"

namespace pasta::ptxas {

namespace {

std::string_view without_blanks(std::string_view line) {
  std::size_t const first = line.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view()
                                         : line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> lines;
  lines.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1);
  while (!text.empty()) lines.push_back(without_blanks(take_line(text)));
  return lines;
}

/// `.version 6.0` and `.maxnreg 80` may become others.
bool is_replaced(std::string_view original, std::string_view line) {
  auto const both = [&](std::string_view word) { return original.starts_with(word) && line.starts_with(word); };
  return both(".version") || both(".maxnreg");
}

}  // namespace

std::optional<line_map> line_map::make(std::string_view original, std::string_view instrumented) {
  std::vector<std::string_view> lines = split(original);
  std::vector<std::string_view> const changed = split(instrumented);
  line_map map;
  map.places_.resize(changed.size());
  std::size_t left = lines.size();  // lines that are not found yet; of the last of them its begin
  auto const skip_found = [&] {
    while (left > 0 && lines[left - 1].empty()) --left;
  };
  skip_found();
  // What stands behind the last line has no line to stand before.
  auto next = static_cast<std::uint32_t>(std::max<std::size_t>(lines.size(), 1));
  for (std::size_t i = changed.size(); i-- > 0;) {
    std::string_view const line = changed[i];
    bool is_found = false;
    if (left > 0 && !line.empty()) {
      std::string_view& rest = lines[left - 1];
      is_found = rest.ends_with(line) || is_replaced(rest, line);
      if (is_found) {
        next = static_cast<std::uint32_t>(left);
        rest = rest.ends_with(line) ? without_blanks(rest.substr(0, rest.size() - line.size())) : std::string_view();
        skip_found();
      }
    }
    map.places_[i] = {next, !is_found && !line.empty()};
  }
  if (left > 0) return std::nullopt;
  return map;
}

line_map::place line_map::find(std::uint32_t line) const {
  if (places_.empty()) return {line, false};
  return places_[std::min<std::size_t>(std::max(line, 1U), places_.size()) - 1];
}

}  // namespace pasta::ptxas
