// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A piece of PTX text. Pieces are views of the source, in its order; what lies between them is blank or a comment.
#ifndef PASTA_INSTRUMENT_PTX_STATEMENT_HPP
#define PASTA_INSTRUMENT_PTX_STATEMENT_HPP

#include <cstdint>
#include <string_view>

namespace pasta::ptx {

enum class statement_kind : std::uint8_t {
  directive,      ///< `.version 8.0`, `.reg .b32 %r<9>;`, `.loc 1 7 3`, `.pragma "x";`, `.branchtargets A, B;`
  function_head,  ///< `.visible .entry f(.param .u64 a) .maxntid 64`, up to its body or with the `;` of a declaration
  section,        ///< `.section .debug_info { … }`, all of it
  scope_begin,    ///< `{`
  scope_end,      ///< `}`
  label,          ///< `$L:`
  instruction,    ///< `@!%p ld.global.f32 %f1, [%rd1+4];`
  unknown         ///< text that none of these begins, up to its `;`: passed through as it is
};

/// Number of a function in module::functions, for statements outside all of them.
inline constexpr std::uint32_t no_function = UINT32_MAX;

struct statement {
  std::string_view text;   ///< without what surrounds it; with its `;`, `:` or brace
  std::uint32_t line;      ///< of its first character, from 1
  std::uint32_t function;  ///< whose head or body it belongs to
  statement_kind kind;
};

}  // namespace pasta::ptx
#endif
