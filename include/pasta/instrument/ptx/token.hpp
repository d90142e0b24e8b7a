// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_TOKEN_HPP
#define PASTA_INSTRUMENT_PTX_TOKEN_HPP

#include <array>
#include <cstdint>
#include <string_view>

/// The words, numbers and marks of PTX text, as ptxas parts them.
namespace pasta::ptx {

enum class token_kind : std::uint8_t {
  end,        ///< of the text
  word,       ///< `%rd1`, `$L__BB0_1`, `.align`; an opcode with its parts: `ld.global.L1::no_allocate.v4.f32`
  number,     ///< `7`, `0x1F`, `3U`, `0f3F800000`, `8.0`, `1.5e-3`; without its sign
  string,     ///< with its quotes; it may span lines, and a backslash means itself, also before a quote
  mark,       ///< one character of anything else
  unfinished  ///< a comment or string that does not end: all the rest of the text
};

struct token {
  std::string_view text;
  token_kind kind = token_kind::end;

  bool is(char mark) const { return kind == token_kind::mark && text.front() == mark; }
  bool is(std::string_view word) const { return kind == token_kind::word && text == word; }
  /// `.align`, `.b32`: a word that begins with a dot.
  bool is_directive() const { return kind == token_kind::word && text.front() == '.'; }
  char const* begin() const { return text.data(); }
  char const* end() const { return text.data() + text.size(); }
};

/// Reads a text token by token and skips blanks and comments; any byte is allowed anywhere. Cheap to copy: a copy looks
/// ahead.
class token_reader {
 public:
  explicit token_reader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}
  token_reader(char const* begin, char const* end) : at_(begin), end_(end) {}

  token next();
  token peek() const { return token_reader(*this).next(); }
  /// Behind the token that was read last.
  char const* position() const { return at_; }
  void move_to(char const* position) { at_ = position; }

 private:
  char const *at_, *end_;
};

/// The text without the blanks and comments around it; empty at its begin if there is nothing else.
std::string_view trim(std::string_view text);

/// The text between two characters.
inline std::string_view text_between(char const* begin, char const* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/token.inl>
#endif
