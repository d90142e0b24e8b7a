// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_LINES_HPP
#define PASTA_TOOLS_PTXAS_LINES_HPP

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace pasta::ptxas {

/// Takes the first line away from a text. @return it, without its newline
inline std::string_view take_line(std::string_view& text) {
  std::size_t const end = std::min(text.find('\n'), text.size());
  std::string_view const line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// Takes a prefix away from a text. @return whether it was there
inline bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Takes a decimal number away from a text's begin. @return whether it was there
template <class Number>
bool take_number(std::string_view& text, Number& number) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace pasta::ptxas
#endif
