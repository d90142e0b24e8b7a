// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What must hold of a text that was made of a module, whatever the module is.
#ifndef PASTA_TESTS_FUZZ_KEPT_STATEMENTS_HPP
#define PASTA_TESTS_FUZZ_KEPT_STATEMENTS_HPP

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <pasta/instrument/ptx/module.hpp>
#include <string>

namespace pasta_fuzz {

namespace ptx = pasta::ptx;

[[noreturn]] inline void stop(std::string const& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

/// Whether no directive has an open bracket or ends with a comma: such a one goes on with whatever is put behind it.
inline bool has_whole_directives(ptx::module const& from) {
  for (ptx::statement const& each : from.statements) {
    if (each.kind != ptx::statement_kind::directive) continue;
    std::string open;  // the brackets that are to close, the latest last
    for (char const c : each.text) {
      if (c == '(' || c == '[' || c == '{') open += c == '(' ? ')' : c == '[' ? ']' : '}';
      if (c != ')' && c != ']' && c != '}') continue;
      if (!open.ends_with(c)) return false;
      open.pop_back();
    }
    if (!open.empty() || each.text.ends_with(',') || each.text.ends_with('=')) return false;
  }
  return true;
}

/// The statements of the source in their order, but for a version that is too old to count with.
inline void check_kept(ptx::module const& before, ptx::module const& after) {
  std::size_t at = 0;
  for (ptx::statement const& each : before.statements) {
    bool const is_version = each.text.starts_with(".version");
    while (at < after.statements.size() && after.statements[at].text != each.text &&
           !(is_version && after.statements[at].text.starts_with(".version"))) {
      ++at;
    }
    if (at++ == after.statements.size()) stop("a statement is lost: " + std::string(each.text));
  }
}

}  // namespace pasta_fuzz
#endif
