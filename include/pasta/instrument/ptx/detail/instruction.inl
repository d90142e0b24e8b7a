// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Part of ptx/instruction.hpp.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_INSTRUCTION_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_INSTRUCTION_INL

#include <pasta/instrument/ptx/detail/brackets.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/token.hpp>

namespace pasta::ptx {

namespace detail {

/// The parts of an opcode, its name first. ptxas allows blanks and comments before a dot.
class modifier_reader {
 public:
  explicit modifier_reader(std::string_view opcode) : reader_(opcode) {}
  /// Empty at the end.
  std::string_view next() {
    if (word_.empty()) {
      word_ = reader_.next().text;
      if (!word_.empty() && word_.front() == '.') word_.remove_prefix(1);
    }
    std::size_t const dot = word_.find('.');
    std::string_view const part = word_.substr(0, dot);
    word_ = dot == std::string_view::npos ? std::string_view() : word_.substr(dot + 1);
    return part;
  }

 private:
  token_reader reader_;
  std::string_view word_;
};

/// Adds what commas part up to the end of the text; blanks and comments around it are left out.
inline void read_list(token_reader reader, std::vector<std::string_view>& list) {
  bracket_depth brackets;
  token first, last;
  bool has_comma = false;
  auto const finish = [&](char const* place) {
    list.push_back(first.kind == token_kind::end ? text_between(place, place)
                                                 : text_between(first.begin(), last.end()));
    first = {};
  };
  for (token t = reader.next();; t = reader.next()) {
    bool const is_end = t.kind == token_kind::end || (t.is(';'));
    if (is_end) {
      if (has_comma || first.kind != token_kind::end) finish(t.begin());
      return;
    }
    brackets.enter(t);
    if (t.is(',') && brackets.depth == 0) {
      finish(t.begin());
      has_comma = true;
      continue;
    }
    if (first.kind == token_kind::end) first = t;
    last = t;
  }
}

}  // namespace detail

inline bool instruction::has(std::string_view modifier) const {
  detail::modifier_reader parts(opcode);
  parts.next();
  for (std::string_view part = parts.next(); !part.empty(); part = parts.next()) {
    if (part == modifier) return true;
  }
  return false;
}

inline std::string_view instruction::modifier(std::size_t n) const {
  detail::modifier_reader parts(opcode);
  parts.next();
  std::string_view part = parts.next();
  for (; n > 0 && !part.empty(); --n) part = parts.next();
  return part;
}

inline std::string_view instruction::last_modifier() const {
  detail::modifier_reader parts(opcode);
  parts.next();
  std::string_view last;
  for (std::string_view part = parts.next(); !part.empty(); part = parts.next()) last = part;
  return last;
}

inline instruction read_instruction(std::string_view text) {
  instruction result;
  result.text = text;
  token_reader reader(text);
  if (reader.peek().is('@')) {
    reader.next();
    result.guard.is_negated = reader.peek().is('!');
    if (result.guard.is_negated) reader.next();
    if (reader.peek().kind == token_kind::word) result.guard.predicate = reader.next().text;
  }
  if (reader.peek().kind == token_kind::word) {
    token const first = reader.next();
    token last = first;
    while (reader.peek().is_directive()) last = reader.next();
    result.opcode = text_between(first.begin(), last.end());
    result.name = detail::modifier_reader(result.opcode).next();
  }
  result.operands.reserve(4);
  detail::read_list(reader, result.operands);
  return result;
}

inline address read_address(std::string_view operand) {
  address result;
  token_reader reader(operand);
  if (!reader.next().is('[')) return result;
  // What is read at the moment: one field after the other.
  enum class field { base, offset, rest } at = field::base;
  detail::bracket_depth brackets{1};
  token first, last;
  auto const finish = [&] {
    std::string_view const text =
        first.kind == token_kind::end ? std::string_view() : text_between(first.begin(), last.end());
    (at == field::base ? result.base : at == field::offset ? result.offset : result.rest) = text;
    first = {};
  };
  for (token t = reader.next(); t.kind != token_kind::end; t = reader.next()) {
    brackets.enter(t);
    if (brackets.depth == 0) break;
    bool const is_outer = brackets.depth == 1;
    if (is_outer && t.is(',') && at != field::rest) {
      finish();
      at = field::rest;
      continue;
    }
    if (is_outer && at == field::base && first.kind != token_kind::end && (t.is('+') || t.is('-'))) {
      finish();
      at = field::offset;
      if (t.is('+')) continue;  // a minus belongs to the offset
    }
    if (first.kind == token_kind::end) first = t;
    last = t;
  }
  finish();
  return result;
}

inline std::vector<std::string_view> read_elements(std::string_view operand) {
  std::vector<std::string_view> result;
  token_reader reader(operand);
  token const opening = reader.next();
  if (!opening.is('{')) {
    result.push_back(trim(operand));
    return result;
  }
  detail::read_list(token_reader(detail::read_brackets(reader, opening)), result);
  return result;
}

}  // namespace pasta::ptx
#endif
