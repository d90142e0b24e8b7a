// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_INSTRUCTION_HPP
#define PASTA_INSTRUMENT_PTX_INSTRUCTION_HPP

#include <cstdint>
#include <pasta/instrument/ptx/statement.hpp>
#include <string_view>
#include <vector>

/// The parts of an instruction, as views of its text. Nothing is looked up: an unknown instruction has parts too, and
/// odd text throws nothing (but std::bad_alloc).
namespace pasta::ptx {

/// `@p` or `@!p`.
struct guard {
  std::string_view predicate;  ///< empty: none
  bool is_negated = false;
  bool operator==(guard const&) const = default;
  explicit operator bool() const { return !predicate.empty(); }
};

struct instruction {
  std::string_view text;
  ptx::guard guard;
  /// `ld.global.v4.f32`, as written: blanks and comments may stand before a dot, which has() and modifier() pass over.
  std::string_view opcode;
  std::string_view name;  ///< `ld`
  /// `{%f1, %f2}`, `[%rd1+16]`, `%p|%q`, `(%r1)`: commas within brackets do not part. Without what surrounds them.
  std::vector<std::string_view> operands;

  /// Whether the opcode has this part: has("volatile") for `ld.volatile.global.u32`; has("L1::no_allocate").
  bool has(std::string_view modifier) const;
  /// The n-th part behind the name, from 0; empty if there is none.
  std::string_view modifier(std::size_t n) const;
  /// The last part of the opcode, where a type stands in most instructions; empty for `bra`.
  std::string_view last_modifier() const;
};

/// @param text of a statement of kind `instruction`.
inline instruction read_instruction(std::string_view text);

/// `[%rd1+16]`, `[symbol]`, `[%rd1+-4]`, `[0x100]`, `[tensor, {%r1, %r2}]`, `[param+8]`. PTX's `a[1]`, an element of an
/// array, is not read as one.
struct address {
  std::string_view base;    ///< register, symbol or number; empty if it is not an address
  std::string_view offset;  ///< `16`, `-4`, as written; empty: none
  std::string_view rest;    ///< behind a comma: a tensor copy's coordinates; empty: none
};
inline address read_address(std::string_view operand);

/// The elements of `{%r1, %r2, _}`; of another operand itself. Views of the operand.
inline std::vector<std::string_view> read_elements(std::string_view operand);

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/instruction.inl>
#endif
