// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_REPORT_VISIBLE_HPP
#define PASTA_REPORT_VISIBLE_HPP

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Names come from the analysed program and may hold any byte. These functions make them fit for a terminal.
namespace pasta {

namespace detail {

/// What stands at the start of a byte string.
struct decoded_character {
  char32_t code = 0;           // not defined if !is_valid
  std::size_t size_bytes = 1;  // 1 if !is_valid
  bool is_valid = false;
};

/// @param text not empty. Overlong forms, surrogates and codes above U+10FFFF are not valid.
inline decoded_character decode_utf8(std::string_view text) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned const first = byte(0);
  if (first < 0x80) return {first, 1, true};
  std::size_t size = 0;
  char32_t code = 0;
  if (first >= 0xC2 && first <= 0xDF) {
    size = 2;
    code = first & 0x1FU;
  } else if ((first & 0xF0U) == 0xE0) {
    size = 3;
    code = first & 0x0FU;
  } else if (first >= 0xF0 && first <= 0xF4) {
    size = 4;
    code = first & 0x07U;
  }
  if (size == 0 || text.size() < size) return {};
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  if (code < smallest[size] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, size, true};
}

/// Characters that move the cursor, change its direction or cannot be seen.
inline bool is_invisible(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0xAD || code == 0x61C ||
         (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF || (code >= 0xFFF9 && code <= 0xFFFB) ||
         (code >= 0xE0000 && code <= 0xE007F);
}

/// Columns of a terminal that a character takes.
inline std::size_t width_of(char32_t code) {
  if (code >= 0x300 && code <= 0x36F) return 0;
  bool const is_wide = (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
                       (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
                       (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) ||
                       (code >= 0xFFE0 && code <= 0xFFE6) || (code >= 0x1F300 && code <= 0x1F64F) ||
                       (code >= 0x1F900 && code <= 0x1F9FF) || (code >= 0x20000 && code <= 0x3FFFD);
  return is_wide ? 2 : 1;
}

}  // namespace detail

/// Whether each byte belongs to a valid UTF-8 character.
inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    auto const character = detail::decode_utf8(text);
    if (!character.is_valid) return false;
    text.remove_prefix(character.size_bytes);
  }
  return true;
}

/// The text on one line and harmless on a terminal: newline as \n, tab as \t, an escape character as \x1b, a byte that
/// is not UTF-8 as \xff, a direction mark as \u{202e}. Everything else is unchanged, so the result may not tell a
/// literal \n from a newline.
inline std::string visible(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    auto const character = detail::decode_utf8(text);
    if (!character.is_valid) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (!detail::is_invisible(character.code)) {
      result += text.substr(0, character.size_bytes);
    } else if (character.code == '\n') {
      result += "\\n";
    } else if (character.code == '\t') {
      result += "\\t";
    } else if (character.code < 0x80) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned>(character.code));
    } else {
      result += fmt::format("\\u{{{:x}}}", static_cast<unsigned>(character.code));
    }
    text.remove_prefix(character.size_bytes);
  }
  return result;
}

/// Columns that a visible() text takes on a terminal.
inline std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    auto const character = detail::decode_utf8(text);
    width += character.is_valid ? detail::width_of(character.code) : 1;
    text.remove_prefix(character.size_bytes);
  }
  return width;
}

/// The longest start of a visible() text that takes at most width columns.
inline std::string_view first_columns(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  for (std::size_t used = 0; end < text.size();) {
    auto const character = detail::decode_utf8(text.substr(end));
    used += character.is_valid ? detail::width_of(character.code) : 1;
    if (used > width) break;
    end += character.size_bytes;
  }
  return text.substr(0, end);
}

/// A visible() text cut to at most width columns; ".." stands for what was cut off its end.
inline std::string shorten_end(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  return std::string(first_columns(text, width < 2 ? 0 : width - 2)) + std::string(width < 2 ? width : 2, '.');
}

/// A visible() text cut to at most width columns; ".." stands for what was cut out of its middle: the start of a
/// kernel's name and its last template arguments tell most.
inline std::string shorten_middle(std::string_view text, std::size_t width) {
  std::size_t const full_width = display_width(text);
  if (full_width <= width) return std::string(text);
  if (width < 8) return shorten_end(text, width);
  std::size_t const tail_width = (width - 2) / 3;
  std::string_view tail = text;
  while (display_width(tail) > tail_width) tail.remove_prefix(detail::decode_utf8(tail).size_bytes);
  return fmt::format("{}..{}", first_columns(text, width - 2 - tail_width), tail);
}

}  // namespace pasta
#endif
