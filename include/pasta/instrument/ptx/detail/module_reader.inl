// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Part of ptx/module.hpp: what the class in ptx/detail/module_reader.hpp does.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_MODULE_READER_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_MODULE_READER_INL

#include <pasta/instrument/ptx/detail/module_reader.hpp>

namespace pasta::ptx::detail {

inline module_reader::module_reader(module& result)
    : result_(result),
      end_(result.source.data() + result.source.size()),
      counted_(result.source.data()),
      reader_(result.source) {}

inline std::uint32_t module_reader::line_at(char const* place) {
  lines_ += static_cast<std::uint32_t>(std::count(counted_, place, '\n'));
  counted_ = place;
  return lines_;
}

inline token module_reader::next() {
  token const t = reader_.next();
  if (t.kind == token_kind::unfinished)
    fail(line_at(t.begin()),
         fmt::format("the {} that begins here does not end", t.text[0] == '"' ? "string" : "comment"));
  return t;
}

inline token module_reader::expect(token_kind kind, std::string_view what) {
  token const t = next();
  if (t.kind != kind) fail(line_, fmt::format("{} lacks {}", first_.text, what));
  return t;
}

/// Makes a statement of the text from its first token on.
inline void module_reader::add(statement_kind kind, char const* end) {
  result_.statements.push_back({text_between(first_.begin(), end), line_, function_, kind});
  reader_.move_to(end);
}

inline void module_reader::read() {
  // A line's number has 32 bits.
  if (result_.source.size() >= std::numeric_limits<std::uint32_t>::max()) fail(1, "the text has 4 GiB or more");
  for (first_ = next(); first_.kind != token_kind::end; first_ = next()) {
    line_ = line_at(first_.begin());
    if (result_.version.empty() && !first_.is(".version") && !first_.is('#')) break;
    read_statement();
  }
  if (result_.version.empty()) fail(line_, "this is not PTX: it does not begin with .version");
  if (!scopes_.empty()) fail(scopes_.back(), "the scope that begins here does not end");
  if (result_.target.empty()) fail(line_at(end_), "the text has no .target");
}

inline void module_reader::read_statement() {
  bool const is_in_body = function_ != no_function;
  if (first_.is_directive()) return read_directive();
  if (first_.is('{')) return begin_scope();
  if (first_.is('}')) return end_scope();
  if (first_.is('#')) return read_line();
  if (first_.is('@')) {
    // `@@DWARF …`, which PTX had before it had sections.
    if (first_.end() != end_ && *first_.end() == '@') return read_line();
  } else if (first_.kind != token_kind::word) {
    return read_until_semicolon(statement_kind::unknown);
  } else if (peek().is(':')) {
    return add(statement_kind::label, next().end());
  }
  read_until_semicolon(is_in_body ? statement_kind::instruction : statement_kind::unknown);
}

inline void module_reader::begin_scope() {
  scopes_.push_back(line_);
  add(statement_kind::scope_begin, first_.end());
}

inline void module_reader::end_scope() {
  if (scopes_.empty()) fail(line_, "the brace ends no scope");
  scopes_.pop_back();
  add(statement_kind::scope_end, first_.end());
  if (!scopes_.empty() || function_ == no_function) return;
  result_.functions[function_].end = result_.statements.size() - 1;
  function_ = no_function;
}

inline void module_reader::read_directive() {
  if (first_.is(".loc")) return read_loc();
  if (first_.is(".file")) return read_file();
  if (first_.is(".section")) return read_section();
  if (first_.is(".version")) return read_version();
  if (first_.is(".target")) return read_target();
  if (first_.is(".address_size")) {
    token const size = expect(token_kind::number, "its number");
    result_.address_bits = integer32_of(size.text);
    return add(statement_kind::directive, size.end());
  }
  if (first_.is(".pragma")) return read_until_semicolon(statement_kind::directive);
  read_other_directive();
}

inline void module_reader::read_version() {
  token const version = expect(token_kind::number, "its number");
  if (result_.version.empty()) result_.version = version.text;
  add(statement_kind::directive, version.end());
}

inline void module_reader::read_target() {
  token target = expect(token_kind::word, "its name");
  if (result_.target.empty()) result_.target = target.text;
  for (;;) {
    if (target.is("debug")) result_.has_debug_information = true;
    if (!peek().is(',')) break;
    next();
    target = expect(token_kind::word, "a name behind its comma");
  }
  add(statement_kind::directive, target.end());
}

/// `.file 1 "a.cu", 1700000000, 512`: the time and the size need not be there.
inline void module_reader::read_file() {
  token const number = expect(token_kind::number, "its number");
  token last = expect(token_kind::string, "its name");
  result_.files.push_back({integer32_of(number.text), last.text.substr(1, last.text.size() - 2)});
  while (peek().is(',')) {
    next();
    last = expect(token_kind::number, "a number behind its comma");
  }
  add(statement_kind::directive, last.end());
}

/// `.loc 1 7 3, function_name $L__info_string0+4, inlined_at 1 20 5`: ends with its last number, not with the line.
inline void module_reader::read_loc() {
  token last = first_;
  auto const read_numbers = [&] {
    for (int i = 0; i < 3 && peek().kind == token_kind::number; ++i) last = next();
  };
  read_numbers();
  while (peek().is(',')) {
    next();
    last = expect(token_kind::word, "a name behind its comma");
    if (last.is("function_name")) {
      last = expect(token_kind::word, "the label of a function's name");
      if (peek().is('+')) {
        next();
        last = expect(token_kind::number, "a number behind its plus");
      }
    } else {
      read_numbers();
    }
  }
  add(statement_kind::directive, last.end());
}

inline void module_reader::read_section() {
  for (token t = next(); !t.is('{'); t = next()) {
    if (t.kind == token_kind::end || t.is(';') || t.is('}')) fail_statement();
  }
  add(statement_kind::section, find_closing(reader_.position()));
}

/// Whether a head goes on behind a semicolon: `.entry f() .pragma "x"; .maxnreg 32 { … }`. A declaration that ends with
/// a pragma has no other semicolon.
inline bool module_reader::continues_head(token const& last_directive) const {
  if (!last_directive.is(".pragma")) return false;
  token const t = peek();
  if (!t.is_directive()) return t.is('{');
  return !is_any(t, closed_directives) && !t.is(".file") && !t.is(".section") && !t.is(".loc");
}

inline void module_reader::read_function_head() {
  reader_.move_to(first_.end());
  bracket_depth brackets;
  token last = first_, last_directive = first_;
  bool has_body = false;
  for (;;) {
    token const t = next();
    if (t.kind == token_kind::end || t.is('}')) fail_statement();
    if (t.is('{')) {
      has_body = true;
      break;
    }
    last = t;
    if (t.is(';') && !continues_head(last_directive)) break;
    brackets.enter(t);
    if (t.is_directive() && brackets.depth == 0) last_directive = t;
  }
  // A body within a body: the one before has lost its brace. A declaration may stand in a body.
  if (has_body && !scopes_.empty()) fail(scopes_.back(), "the scope that begins here does not end");

  auto const number = static_cast<std::uint32_t>(result_.functions.size());
  function head = parse_function(text_between(first_.begin(), last.end()));
  head.is_declaration = !has_body;
  head.head = head.begin = head.end = result_.statements.size();
  if (has_body) head.begin = head.end = head.head + 1;  // the end is set when it is read
  result_.functions.push_back(std::move(head));
  std::uint32_t const around = function_;
  function_ = number;
  add(statement_kind::function_head, last.end());
  if (!has_body) function_ = around;
}

/// Whether a directive that is not known goes on with a token that stands on another line than the one before.
inline bool module_reader::goes_on_with(token const& last, token const& next) const {
  for (char const mark : {',', '='}) {
    if (last.is(mark) || next.is(mark)) return true;
  }
  // In a body a brace on a line of its own is a scope, outside of all bodies it cannot be.
  return next.is(';') || next.is('(') || next.is('[') || (next.is('{') && scopes_.empty());
}

/// A directive that is not known ends with a semicolon too, else with its line or before the brace that ends a scope.
inline void module_reader::read_other_directive() {
  bool const is_known = is_any(first_, closed_directives);
  bracket_depth brackets;
  token last = first_;
  for (token t = first_;; t = next()) {
    bool const is_outside = brackets.depth == 0;
    if (is_outside && (t.is(".entry") || t.is(".func"))) return read_function_head();
    bool const is_cut = t.kind == token_kind::end || t.is('}');
    if (is_cut && is_known) fail_statement();
    bool const is_on_next_line = std::find(last.end(), t.begin(), '\n') != t.begin();
    if (!is_known && (is_cut || (is_outside && is_on_next_line && !goes_on_with(last, t)))) break;
    if (t.is('{')) {
      char const* const behind = find_closing(t.end());
      reader_.move_to(behind);
      last.text = text_between(behind - 1, behind);
      last.kind = token_kind::mark;
      continue;
    }
    last = t;
    if (t.is(';')) break;
    brackets.enter(t);
  }
  if (function_ == no_function && scopes_.empty())
    parse_variables(text_between(first_.begin(), last.end()), result_.statements.size(), result_.variables);
  add(statement_kind::directive, last.end());
}

inline void module_reader::read_line() {
  char const* end = find_byte(first_.end(), end_, '\n');
  while (is_of(end[-1], is_blank)) --end;
  add(statement_kind::directive, end);
}

inline void module_reader::read_until_semicolon(statement_kind kind) {
  char const* at = first_.begin();
  for (std::size_t depth = 0;; ++at) {
    at = find_stop(at);
    if (at == end_) fail_statement();
    if (*at == ';') break;
    if (*at == '{') ++depth;
    if (*at == '}' && depth-- == 0) fail_statement();
  }
  add(kind, at + 1);
}

/// The next semicolon or brace outside of strings and comments; the end if there is none.
inline char const* module_reader::find_stop(char const* at) {
  for (; at != end_; ++at) {
    switch (*at) {
      case ';':
      case '{':
      case '}':
        return at;
      case '"': {
        char const* const behind = skip_string(at, end_);
        if (behind == nullptr) fail(line_at(at), "the string that begins here does not end");
        at = behind - 1;
        break;
      }
      case '/': {
        char const* const behind = skip_comment(at, end_);
        if (behind == nullptr) fail(line_at(at), "the comment that begins here does not end");
        if (behind != at) at = behind - 1;
        break;
      }
      default:
        break;
    }
  }
  return end_;
}

/// Behind the brace that closes the one before.
inline char const* module_reader::find_closing(char const* at) {
  for (std::size_t depth = 1; depth > 0; ++at) {
    at = find_stop(at);
    if (at == end_) fail_statement();
    if (*at == '{') ++depth;
    if (*at == '}') --depth;
  }
  return at;
}

}  // namespace pasta::ptx::detail
#endif
