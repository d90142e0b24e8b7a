// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_BRACKETS_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_BRACKETS_HPP

#include <cstddef>
#include <pasta/instrument/ptx/token.hpp>
#include <string_view>

namespace pasta::ptx::detail {

/// How many brackets are open behind the tokens entered. One kind closes another: ptxas judges the text, not this.
struct bracket_depth {
  std::size_t depth = 0;
  void enter(token const& t) {
    if (t.is('(') || t.is('[') || t.is('{')) ++depth;
    if ((t.is(')') || t.is(']') || t.is('}')) && depth > 0) --depth;
  }
};

/// Reads on until the bracket that was read is closed. @return what stands between the two.
inline std::string_view read_brackets(token_reader& reader, token const& opening) {
  bracket_depth brackets{1};
  token t = reader.next();
  for (; t.kind != token_kind::end; t = reader.next()) {
    brackets.enter(t);
    if (brackets.depth == 0) break;
  }
  return text_between(opening.end(), t.begin());
}

}  // namespace pasta::ptx::detail
#endif
