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
#include <string_view>

namespace pasta_fuzz {

namespace ptx = pasta::ptx;

[[noreturn]] inline void stop(std::string const& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

inline std::string without_comments(std::string_view text) {
  std::string left;
  while (!text.empty()) {
    bool const is_line = text.starts_with("//");
    if (!is_line && !text.starts_with("/*")) {
      left += text.front();
      text.remove_prefix(1);
      continue;
    }
    std::size_t const end = text.find(is_line ? "\n" : "*/", 2);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + (is_line ? 1 : 2));
  }
  return left;
}

/// Whether no directive has an open bracket or ends with a comma: such a one goes on with whatever is put behind it.
inline bool has_whole_directives(ptx::module const& from) {
  for (ptx::statement const& each : from.statements) {
    if (each.kind != ptx::statement_kind::directive) continue;
    std::string open;  // the brackets that are to close, the latest last
    for (char const c : without_comments(each.text)) {
      if (c == '(' || c == '[' || c == '{') open += c == '(' ? ')' : c == '[' ? ']' : '}';
      if (c != ')' && c != ']' && c != '}') continue;
      if (!open.ends_with(c)) return false;
      open.pop_back();
    }
    if (!open.empty() || each.text.ends_with(',') || each.text.ends_with('=')) return false;
  }
  return true;
}

/// Whether a statement is there as it was, or as a branch that goes a detour to where it went.
inline bool is_kept(std::string_view before, std::string_view after) {
  if (before == after) return true;
  std::size_t const detour = after.find("$pasta_turn_over");
  return detour != std::string_view::npos && before.starts_with(after.substr(0, detour));
}

/// The statements of the source in their order, but for a version that is too old to count with.
inline void check_kept(ptx::module const& before, ptx::module const& after) {
  std::size_t at = 0;
  for (ptx::statement const& each : before.statements) {
    bool const is_version = each.text.starts_with(".version");
    while (at < after.statements.size() && !is_kept(each.text, after.statements[at].text) &&
           !(is_version && after.statements[at].text.starts_with(".version"))) {
      ++at;
    }
    if (at++ == after.statements.size()) stop("a statement is lost: " + std::string(each.text));
  }
}

}  // namespace pasta_fuzz
#endif
