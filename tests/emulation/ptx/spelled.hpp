// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// An instruction, its opcode in parts.
#ifndef PASTA_TESTS_EMULATION_PTX_SPELLED_HPP
#define PASTA_TESTS_EMULATION_PTX_SPELLED_HPP

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <pasta/instrument/ptx/instruction.hpp>
#include <string_view>
#include <vector>

#include "fault.hpp"
#include "scalar.hpp"

namespace ptx_emulation {

/// Parts of an opcode that say how an access is cached or ordered: here all is in order, and nothing is cached.
inline bool is_hint(std::string_view part) {
  constexpr std::string_view hints[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "volatile", "mmio",
                                        "sc",   "cta",     "cluster", "gpu",     "sys",     "nc",       "ca",
                                        "cg",   "cs",      "lu",      "cv",      "wb",      "wt",       "noftz"};
  return std::find(std::begin(hints), std::end(hints), part) != std::end(hints) || part.starts_with("L1::") ||
         (part.starts_with("L2::") && part != "L2::cache_hint");
}

struct spelled {
  explicit spelled(std::string_view text) : what(pasta::ptx::read_instruction(text)) {
    pasta::ptx::detail::modifier_reader reader(what.opcode);
    for (std::string_view part = reader.next(); !part.empty(); part = reader.next()) parts.push_back(part);
  }
  pasta::ptx::instruction what;
  std::vector<std::string_view> parts;  // the name first

  [[noreturn]] void refuse(std::string_view why) const { throw unknown_code(std::string(why)); }
  bool has(std::string_view part) const { return std::find(parts.begin() + 1, parts.end(), part) != parts.end(); }
  /// The type that the opcode ends with.
  scalar type() const {
    scalar const found = parts.size() > 1 ? read_scalar(parts.back()) : scalar();
    if (!found) refuse("its type is not known");
    return found;
  }
  /// The last but one part as a type.
  scalar other_type() const {
    scalar const found = parts.size() > 2 ? read_scalar(parts[parts.size() - 2]) : scalar();
    if (!found) refuse("its type is not known");
    return found;
  }
  /// Refuses parts that are neither these nor types nor, where they are allowed, hints.
  void expect(std::initializer_list<std::string_view> known, bool has_hints = false) const {
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (read_scalar(parts[i]) || (has_hints && is_hint(parts[i]))) continue;
      if (std::find(known.begin(), known.end(), parts[i]) == known.end())
        refuse(fmt::format("its part .{} is not known", parts[i]));
    }
  }
  /// Refuses another number of operands.
  void expect_operands(std::size_t least, std::size_t most) const {
    if (what.operands.size() < least || what.operands.size() > most) refuse("it has another number of operands");
  }
  void expect_operands(std::size_t count) const { expect_operands(count, count); }
  std::string_view operand(std::size_t n) const { return what.operands.at(n); }
};

}  // namespace ptx_emulation
#endif
