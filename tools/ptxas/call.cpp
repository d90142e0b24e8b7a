// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <pasta/report/visible.hpp>
#include "line_map.hpp"
#include "lines.hpp"

namespace pasta::ptxas {

namespace {

constexpr std::string_view before_line = ", line ";

/// Made when the first message asks for it.
class line_maps {
 public:
  std::optional<line_map::place> find(source_text const& source, std::uint32_t line) {
    auto const [at, is_new] = maps_.try_emplace(&source);
    if (is_new && source.instrumented) at->second = line_map::make(source.text, source.instrumented->read());
    if (!at->second) return std::nullopt;
    return at->second->find(line);
  }

 private:
  std::map<source_text const*, std::optional<line_map>> maps_;
};

}  // namespace

std::string call::as_for_originals(std::string_view messages) const {
  std::string text;
  line_maps maps;
  std::string end_of_line;
  while (!messages.empty()) {
    auto const found = std::find_if(files.begin(), files.end(), [&](replaced_file const& file) {
      // …/fd/5 also begins …/fd/51
      return messages.starts_with(file.passed) &&
             (messages.size() == file.passed.size() || messages[file.passed.size()] < '0' ||
              messages[file.passed.size()] > '9');
    });
    if (found == files.end()) {
      if (messages.front() == '\n') text += std::exchange(end_of_line, {});
      text += messages.front();
      messages.remove_prefix(1);
      continue;
    }
    text += found->shown;
    messages.remove_prefix(found->passed.size());
    std::string_view rest = messages;
    std::uint32_t line = 0;
    if (found->instrumented == nullptr || !take(rest, before_line) || !take_number(rest, line)) continue;
    auto const place = maps.find(*found->instrumented, line);
    messages = rest;
    text += fmt::format("{}{}", before_line, place ? place->line : line);
    if (!place) {
      end_of_line = " (the line is that of the instrumented text)";
    } else if (place->is_put_in) {
      end_of_line = " (of what PASTA put before that line)";
    }
  }
  return text + end_of_line;
}

std::string first_error(std::string_view messages) {
  std::string first;
  while (!messages.empty()) {
    std::string_view const line = take_line(messages);
    if (first.empty()) first = line;
    if (line.find("error") != std::string_view::npos || line.find("fatal") != std::string_view::npos) {
      return visible(line);
    }
  }
  return first.empty() ? "it said nothing" : visible(first);
}

}  // namespace pasta::ptxas
