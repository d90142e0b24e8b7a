// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a declaration says: of a function's head, of its parameters, of variables. Nothing here throws but
/// std::bad_alloc: text that makes no sense leaves fields empty.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_PARSE_DECLARATION_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_PARSE_DECLARATION_HPP

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <pasta/instrument/ptx/declarations.hpp>
#include <pasta/instrument/ptx/detail/brackets.hpp>
#include <pasta/instrument/ptx/token.hpp>
#include <string_view>
#include <vector>

namespace pasta::ptx::detail {

/// The value of an integer as PTX writes it (`16`, `0x10`, `020`, `0b1`, `16U`); 0 if it is none or has over 64 bits.
inline std::uint64_t integer_of(std::string_view text) {
  if (!text.empty() && text.back() == 'U') text.remove_suffix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    bool const has_letter = text[1] == 'x' || text[1] == 'X' || text[1] == 'b' || text[1] == 'B';
    base = !has_letter ? 8 : text[1] == 'x' || text[1] == 'X' ? 16 : 2;
    text.remove_prefix(has_letter ? 2 : 1);
  }
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size() ? value : 0;
}

inline std::uint32_t integer32_of(std::string_view text) {
  std::uint64_t const value = integer_of(text);
  return value <= std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(value) : 0;
}

/// The product, 0 where it has over 64 bits.
inline std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > std::numeric_limits<std::uint64_t>::max() / a ? 0 : a * b;
}

/// The size of a fundamental type [bytes]: `.b8` 1, `.f16x2` 4; 0 for one without bits in its name, such as `.pred`.
inline std::uint64_t size_of_type(std::string_view type) {
  std::size_t const digit = type.find_first_of("0123456789");
  if (digit == std::string_view::npos) return 0;
  char const* const end = type.data() + type.size();
  std::uint64_t bits = 0, elements = 1;
  char const* at = std::from_chars(type.data() + digit, end, bits).ptr;
  if (at != end && *at == 'x') std::from_chars(at + 1, end, elements);
  return product(bits / 8, elements);
}

/// Whether a token is one of some words.
template <std::size_t Count>
bool is_any(token const& t, std::array<std::string_view, Count> const& words) {
  if (t.kind != token_kind::word) return false;
  for (std::string_view word : words) {
    if (t.text == word) return true;
  }
  return false;
}

inline constexpr std::array<std::string_view, 5> memory_spaces = {".global", ".const", ".shared", ".local", ".tex"};

/// Reads `[16][2]`, any number of them. @return the number of elements, 1 without bounds at all, 0 for `[]`.
inline std::uint64_t read_bounds(token_reader& reader) {
  std::uint64_t elements = 1;
  while (reader.peek().is('[')) {
    token const opening = reader.next();
    elements = product(elements, integer_of(trim(read_brackets(reader, opening))));
  }
  return elements;
}

inline parameter parse_parameter(std::string_view text) {
  parameter result;
  result.text = text;
  token_reader reader(text);
  bool is_pointee = false;  // `.ptr .global .align 16` speaks of what the parameter points to
  std::uint64_t elements = 1;
  for (token t = reader.next(); t.kind != token_kind::end; t = reader.next()) {
    if (t.is(".reg")) {
      result.is_register = true;
    } else if (t.is(".ptr")) {
      is_pointee = true;
    } else if (t.is(".align")) {
      std::uint32_t const alignment = integer32_of(reader.next().text);
      if (!is_pointee) result.alignment = alignment;
    } else if (t.is(".v2") || t.is(".v4") || t.is(".v8")) {
      elements = static_cast<std::uint64_t>(t.text[2] - '0');
    } else if (t.is('(')) {
      read_brackets(reader, t);
    } else if (t.is_directive()) {
      bool const is_space = t.is(".param") || t.is(".const") || is_any(t, memory_spaces);
      if (!is_space && result.type.empty()) result.type = t.text;
    } else if (t.kind == token_kind::word && result.name.empty()) {
      result.name = t.text;
      elements = product(elements, read_bounds(reader));
    }
  }
  result.size_bytes = product(size_of_type(result.type), elements);
  return result;
}

/// @param text between the brackets of a list of parameters.
inline std::vector<parameter> parse_parameters(std::string_view text) {
  std::vector<parameter> result;
  token_reader reader(text);
  bracket_depth brackets;
  token first, last;
  auto const finish = [&] {
    if (first.kind != token_kind::end) result.push_back(parse_parameter(text_between(first.begin(), last.end())));
    first = {};
  };
  for (token t = reader.next(); t.kind != token_kind::end; t = reader.next()) {
    brackets.enter(t);
    if (t.is(',') && brackets.depth == 0) {
      finish();
      continue;
    }
    if (first.kind == token_kind::end) first = t;
    last = t;
  }
  finish();
  return result;
}

/// Sets the linkage if the token is one.
inline void read_linkage(token const& t, linkage& linked) {
  if (t.is(".visible")) linked = linkage::visible;
  if (t.is(".weak")) linked = linkage::weak;
  if (t.is(".common")) linked = linkage::common;
  if (t.is(".extern")) linked = linkage::external;
}

/// The directives behind a function's parameters.
inline std::vector<std::string_view> parse_tuning(token_reader reader) {
  std::vector<std::string_view> result;
  bracket_depth brackets;
  token first, last;
  auto const finish = [&] {
    if (first.kind != token_kind::end) result.push_back(text_between(first.begin(), last.end()));
    first = {};
  };
  for (token t = reader.next(); t.kind != token_kind::end; t = reader.next()) {
    if (t.is(';') && !first.is(".pragma")) break;  // the end of a declaration
    brackets.enter(t);
    if (t.is_directive() && brackets.depth == 0) finish();
    if (first.kind == token_kind::end) first = t;
    last = t;
    if (t.is(';')) finish();
  }
  finish();
  return result;
}

/// @param text of a statement of kind function_head.
inline function parse_function(std::string_view text) {
  function result;
  token_reader reader(text);
  bool is_named_next = false;  // `.entry` or `.func` was read
  for (token t = reader.next(); t.kind != token_kind::end; t = reader.next()) {
    read_linkage(t, result.linked);
    if (t.is(".entry") || t.is(".func")) {
      result.is_entry = t.is(".entry");
      is_named_next = true;
    } else if (t.is(".attribute")) {
      if (reader.peek().is('(')) read_brackets(reader, reader.next());
    } else if (t.is('(')) {
      std::string_view const inside = read_brackets(reader, t);
      if (is_named_next) result.results = parse_parameters(inside);
    } else if (is_named_next && t.kind == token_kind::word && !t.is_directive()) {
      result.name = t.text;
      break;
    }
  }
  if (reader.peek().is('(')) result.parameters = parse_parameters(read_brackets(reader, reader.next()));
  result.tuning = parse_tuning(reader);
  return result;
}

/// Reads on until behind an initialiser: to the comma or the end.
inline void skip_initialiser(token_reader& reader) {
  bracket_depth brackets;
  for (token t = reader.peek(); t.kind != token_kind::end; t = reader.peek()) {
    if (brackets.depth == 0 && (t.is(',') || t.is(';'))) return;
    brackets.enter(reader.next());
  }
}

/// Adds the variables that a directive declares; none if it declares something else.
inline void parse_variables(std::string_view text, std::size_t statement, std::vector<variable>& variables) {
  variable common;
  common.text = text;
  common.statement = statement;
  token_reader reader(text);
  token t = reader.next();
  for (; t.is_directive(); t = reader.next()) {
    read_linkage(t, common.linked);
    if (is_any(t, memory_spaces) && common.space.empty()) common.space = t.text;
    if (t.is(".align")) reader.next();
    if (reader.peek().is('(')) read_brackets(reader, reader.next());
  }
  if (common.space.empty()) return;
  for (; t.kind == token_kind::word; t = reader.next()) {
    variables.push_back(common);
    variables.back().name = t.text;
    skip_initialiser(reader);  // with the bounds before it
    if (!reader.next().is(',')) return;
  }
}

}  // namespace pasta::ptx::detail
#endif
