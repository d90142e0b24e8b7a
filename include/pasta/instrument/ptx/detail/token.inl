// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Part of ptx/token.hpp.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_TOKEN_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_TOKEN_INL

#include <algorithm>
#include <cstring>
#include <pasta/instrument/ptx/token.hpp>

namespace pasta::ptx {

namespace detail {

/// What a byte can be; NUL is a blank, a byte of another alphabet a letter.
enum byte_class : std::uint8_t { is_mark = 0, is_blank = 1, is_letter = 2, is_digit = 4 };

inline constexpr std::array<std::uint8_t, 256> byte_classes = [] {
  std::array<std::uint8_t, 256> classes{};
  for (char c : {'\0', ' ', '\t', '\n', '\v', '\f', '\r'}) classes[static_cast<unsigned char>(c)] = is_blank;
  for (std::size_t c = 'a'; c <= 'z'; ++c) classes[c] = is_letter;
  for (std::size_t c = 'A'; c <= 'Z'; ++c) classes[c] = is_letter;
  for (std::size_t c = '0'; c <= '9'; ++c) classes[c] = is_digit;
  for (std::size_t c = 0x80; c <= 0xff; ++c) classes[c] = is_letter;
  classes['_'] = classes['$'] = is_letter;
  return classes;
}();

inline bool is_of(char c, unsigned wanted) { return (byte_classes[static_cast<unsigned char>(c)] & wanted) != 0; }

inline char const* find_byte(char const* begin, char const* end, char wanted) {
  if (begin == end) return end;
  auto const* found = std::memchr(begin, wanted, static_cast<std::size_t>(end - begin));
  return found == nullptr ? end : static_cast<char const*>(found);
}

/// Behind the comment that begins here; null if it does not end, and `at` itself if none begins here. A comment with
/// two slashes ends at the line's end or the text's.
inline char const* skip_comment(char const* at, char const* end) {
  if (end - at < 2 || *at != '/') return at;
  if (at[1] == '/') return find_byte(at + 2, end, '\n');
  if (at[1] != '*') return at;
  for (at += 2;; ++at) {
    at = find_byte(at, end, '*');
    if (end - at < 2) return nullptr;
    if (at[1] == '/') return at + 2;
  }
}

/// Behind the string that begins here; null if it does not end.
inline char const* skip_string(char const* at, char const* end) {
  char const* const quote = find_byte(at + 1, end, '"');
  return quote == end ? nullptr : quote + 1;
}

/// Behind the identifier and dotted parts that begin here.
inline char const* skip_word(char const* at, char const* end) {
  ++at;  // a letter, a percent sign or a dot
  while (at != end) {
    if (is_of(*at, is_letter | is_digit)) {
      ++at;
    } else if (*at == '.' && end - at > 1 && is_of(at[1], is_letter | is_digit)) {
      at += 2;
    } else if (*at == ':' && end - at > 2 && at[1] == ':' && is_of(at[2], is_letter | is_digit)) {
      at += 3;
    } else {
      break;
    }
  }
  return at;
}

/// Behind the number that begins here, whatever its base.
inline char const* skip_number(char const* at, char const* end) {
  // Only a decimal number has an exponent: in 0x1e-3 the minus is a mark.
  bool const is_decimal = *at != '0' || end - at < 2 || is_of(at[1], is_digit) || at[1] == '.';
  for (++at; at != end; ++at) {
    if (is_of(*at, is_letter | is_digit)) continue;
    bool const is_point = *at == '.' && (end - at < 2 || !is_of(at[1], is_letter));
    bool const is_exponent = is_decimal && (*at == '-' || *at == '+') && (at[-1] == 'e' || at[-1] == 'E');
    if (!is_point && !is_exponent) break;
  }
  return at;
}

}  // namespace detail

inline token token_reader::next() {
  for (;;) {
    while (at_ != end_ && detail::is_of(*at_, detail::is_blank)) ++at_;
    if (at_ == end_) return {text_between(end_, end_), token_kind::end};
    char const* const behind = detail::skip_comment(at_, end_);
    if (behind == at_) break;
    if (behind == nullptr) {
      char const* const begin = at_;
      at_ = end_;
      return {text_between(begin, end_), token_kind::unfinished};
    }
    at_ = behind;
  }
  char const* const begin = at_;
  bool const is_followed = end_ - begin > 1;
  auto kind = token_kind::mark;
  if (detail::is_of(*begin, detail::is_letter) ||
      (*begin == '.' && is_followed && detail::is_of(begin[1], detail::is_letter | detail::is_digit)) ||
      (*begin == '%' && is_followed && detail::is_of(begin[1], detail::is_letter))) {
    kind = token_kind::word;
    at_ = detail::skip_word(begin, end_);
  } else if (detail::is_of(*begin, detail::is_digit)) {
    kind = token_kind::number;
    at_ = detail::skip_number(begin, end_);
  } else if (*begin == '"') {
    kind = token_kind::string;
    at_ = detail::skip_string(begin, end_);
    if (at_ == nullptr) {
      kind = token_kind::unfinished;
      at_ = end_;
    }
  } else {
    ++at_;
  }
  return {text_between(begin, at_), kind};
}

inline std::string_view trim(std::string_view text) {
  token_reader reader(text);
  token const first = reader.next();
  if (first.kind == token_kind::end) return text.substr(0, 0);
  char const* end = first.end();
  for (token t = reader.next(); t.kind != token_kind::end; t = reader.next()) end = t.end();
  return text_between(first.begin(), end);
}

}  // namespace pasta::ptx
#endif
