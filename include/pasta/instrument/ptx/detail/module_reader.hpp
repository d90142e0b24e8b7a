// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Parts a module into statements: one pass from front to back, without recursion.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_MODULE_READER_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_MODULE_READER_HPP

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <pasta/instrument/ptx/detail/parse_declaration.hpp>
#include <pasta/instrument/ptx/read_error.hpp>
#include <pasta/instrument/ptx/statement.hpp>
#include <pasta/instrument/ptx/token.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptx {
struct module;
}

namespace pasta::ptx::detail {

/// Directives that begin a statement of their own and end with a semicolon, or begin a function.
inline constexpr std::array<std::string_view, 19> closed_directives = {
    ".reg",   ".param",         ".global",      ".const",   ".shared",       ".local",  ".tex",
    ".sreg",  ".alias",         ".weak",        ".visible", ".attribute",    ".extern", ".common",
    ".entry", ".branchtargets", ".calltargets", ".func",    ".callprototype"};

/// Reads on behind lines such as `# 1 "a.cu"`, which ptxas skips like comments.
inline void skip_line_marks(token_reader& reader, char const* end) {
  while (reader.peek().is('#')) reader.move_to(find_byte(reader.next().end(), end, '\n'));
}

class module_reader {
 public:
  explicit module_reader(module& result);
  void read();

 private:
  [[noreturn]] void fail(std::size_t line, std::string_view message) const {
    throw read_error(line, std::string(message));
  }
  [[noreturn]] void fail_statement() const { fail(line_, "the statement that begins here does not end"); }
  std::uint32_t line_at(char const* place);

  token next();
  token peek() const { return reader_.peek(); }
  token expect(token_kind kind, std::string_view what);
  void add(statement_kind kind, char const* end);

  void read_statement();
  void begin_scope();
  void end_scope();
  void read_directive();
  void read_version();
  void read_target();
  void read_file();
  void read_loc();
  void read_section();
  void read_function_head();
  void read_other_directive();
  void read_line();
  void read_until_semicolon(statement_kind kind);
  bool continues_head(token const& last_directive) const;
  bool goes_on_with(token const& last, token const& next) const;
  char const* find_stop(char const* at);
  char const* find_closing(char const* at);

  ptx::module& result_;
  char const* const end_;  // of the source
  char const* counted_;    // the lines up to here are in lines_
  std::uint32_t lines_ = 1;
  token_reader reader_;

  token first_;                           // of the statement
  std::uint32_t line_ = 1;                // where that begins
  std::vector<std::uint32_t> scopes_;     // the lines of the scopes that are open
  std::uint32_t function_ = no_function;  // whose body is open
};

}  // namespace pasta::ptx::detail

#endif
