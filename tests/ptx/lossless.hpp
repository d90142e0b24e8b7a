// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_PTX_LOSSLESS_HPP
#define PASTA_TESTS_PTX_LOSSLESS_HPP

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <pasta/instrument/ptx/edits.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pasta_test {

/// Whether a text is blanks and comments alone. Written without the reader's own scanner, which it judges. Lines such
/// as `# 1 "a.cu"` are statements, so they do not count. @param marks that count as blanks.
inline bool is_blank(std::string_view text, std::string_view marks = "") {
  using namespace std::string_view_literals;
  while (!text.empty()) {
    if (" \t\r\n\v\f\0"sv.find(text[0]) != std::string_view::npos || marks.find(text[0]) != std::string_view::npos) {
      text.remove_prefix(1);
    } else if (text.substr(0, 2) == "//") {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (text.substr(0, 2) == "/*") {
      std::size_t const end = text.find("*/", 2);
      if (end == std::string_view::npos) return false;
      text.remove_prefix(end + 2);
    } else {
      return false;
    }
  }
  return true;
}

inline bool is_within(std::string_view part, std::string_view whole) {
  return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

/// What is wrong with the statements of a module, or nothing: they are in order, do not overlap, have their lines, and
/// between them is nothing but blanks and comments; so together with those they are the source.
inline std::string find_loss(pasta::ptx::module const& m) {
  std::size_t end = 0, line = 1;
  for (std::size_t i = 0; i < m.statements.size(); ++i) {
    auto const& s = m.statements[i];
    if (s.text.empty() || !is_within(s.text, m.source)) return fmt::format("statement {} is not of the source", i);
    std::size_t const begin = m.offset_of(s.text);
    if (begin < end) return fmt::format("statement {} begins before the end of the one before", i);
    if (!is_blank(m.source.substr(end, begin - end))) return fmt::format("text is lost before statement {}", i);
    auto const from = m.source.begin();
    auto const previous = i == 0 ? 0 : m.offset_of(m.statements[i - 1].text);
    line += static_cast<std::size_t>(
        std::count(from + static_cast<std::ptrdiff_t>(previous), from + static_cast<std::ptrdiff_t>(begin), '\n'));
    if (s.line != line) return fmt::format("statement {} is on line {}, not {}", i, line, s.line);
    end = begin + s.text.size();
  }
  if (!is_blank(m.source.substr(end))) return "text is lost behind the last statement";

  pasta::ptx::edits none(m.source), same(m.source);
  for (auto const& s : m.statements) same.replace(s.text, std::string(s.text));
  if (none.apply() != m.source) return "no change changes the text";
  if (same.apply() != m.source) return "each statement in its own place changes the text";
  return {};
}

/// What is wrong with a module's functions, or nothing.
inline std::string find_disorder(pasta::ptx::module const& m) {
  using pasta::ptx::statement_kind;
  std::size_t bodies_end = 0;  // the bodies follow each other
  for (std::size_t i = 0; i < m.functions.size(); ++i) {
    auto const& f = m.functions[i];
    if (m.statements[f.head].kind != statement_kind::function_head) return fmt::format("function {} has no head", i);
    if (m.statements[f.head].function != i) return fmt::format("the head of function {} is not its own", i);
    std::string_view const head = m.statements[f.head].text;
    std::vector<std::string_view> parts = f.tuning;
    parts.push_back(f.name);
    for (auto const* list : {&f.results, &f.parameters}) {
      for (auto const& p : *list) parts.insert(parts.end(), {p.text, p.name, p.type});
    }
    for (std::string_view const part : parts) {
      if (!is_within(part, head)) return fmt::format("a part of function {} is not in its head", i);
    }
    if (f.is_declaration) {
      if (f.begin != f.head || f.end != f.head) return fmt::format("declaration {} has a body", i);
      continue;
    }
    if (f.begin != f.head + 1 || f.end <= f.begin || f.begin < bodies_end)
      return fmt::format("the body of function {} is out of place", i);
    bodies_end = f.end;
    std::size_t depth = 0;
    for (std::size_t s = f.begin; s <= f.end; ++s) {
      if (m.statements[s].kind == statement_kind::scope_begin) ++depth;
      if (m.statements[s].kind == statement_kind::scope_end) --depth;
      if ((depth == 0) != (s == f.end)) return fmt::format("the scopes of function {} do not match", i);
      if (m.statements[s].function != i && m.statements[s].kind != statement_kind::function_head)
        return fmt::format("statement {} is not of function {}", s, i);
    }
  }
  for (auto const& v : m.variables) {
    if (!is_within(v.name, m.statements[v.statement].text)) return "a variable is not in its statement";
  }
  return {};
}

/// What is wrong with the parts of an instruction, or nothing: they are of its text, in order, and between them is
/// nothing but blanks, comments and marks that part them.
inline std::string find_loss(pasta::ptx::instruction const& read) {
  std::size_t end = 0;
  auto const take = [&](std::string_view part) {
    if (part.data() == nullptr) return true;
    if (part.data() < read.text.data() + end || !is_within(part, read.text)) return false;
    auto const begin = static_cast<std::size_t>(part.data() - read.text.data());
    bool const is_next = is_blank(read.text.substr(end, begin - end), "@!,");
    end = begin + part.size();
    return is_next;
  };
  if (!take(read.guard.predicate)) return "the guard is out of place";
  if (!read.opcode.empty() && !take(read.opcode)) return "the opcode is out of place";
  if (!is_within(read.name, read.opcode)) return "the name is not in the opcode";
  for (std::string_view const operand : read.operands) {
    if (!take(operand)) return "an operand is out of place";
    for (std::string_view const element : pasta::ptx::read_elements(operand)) {
      if (!is_within(element, operand)) return "an element is not in its operand";
    }
    auto const address = pasta::ptx::read_address(operand);
    for (std::string_view const part : {address.base, address.offset, address.rest}) {
      if (!is_within(part, operand)) return "a part of an address is not in its operand";
    }
  }
  if (!is_blank(read.text.substr(end), "@!,;")) return "text is lost behind the last operand";
  return {};
}

/// What is wrong when text is put between the statements of a module, or nothing: the changed text has the same ones.
inline std::string find_shift(pasta::ptx::module const& m) {
  pasta::ptx::edits between(m.source);
  for (auto const& s : m.statements) between.insert_before(s.text, " /* ; { */ ");
  std::string const changed = between.apply();
  auto const again = pasta::ptx::read(changed);
  if (again.statements.size() != m.statements.size()) return "text between the statements changes their number";
  for (std::size_t i = 0; i < m.statements.size(); ++i) {
    if (again.statements[i].text != m.statements[i].text || again.statements[i].kind != m.statements[i].kind)
      return fmt::format("text between the statements changes statement {}", i);
  }
  return {};
}

/// Reads a text and checks all that find_loss(), find_disorder() and find_shift() look at.
/// @return what is wrong, or nothing. @throws pasta::ptx::read_error
inline std::string find_fault(std::string_view source) {
  auto const m = pasta::ptx::read(source);
  std::string fault = find_loss(m);
  if (fault.empty()) fault = find_disorder(m);
  if (fault.empty()) fault = find_shift(m);
  for (auto const& s : m.statements) {
    if (!fault.empty()) break;
    if (s.kind == pasta::ptx::statement_kind::instruction) fault = find_loss(pasta::ptx::read_instruction(s.text));
  }
  return fault;
}

}  // namespace pasta_test
#endif
