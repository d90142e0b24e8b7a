// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a module declares: functions, variables, source files.
#ifndef PASTA_INSTRUMENT_PTX_DECLARATIONS_HPP
#define PASTA_INSTRUMENT_PTX_DECLARATIONS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pasta::ptx {

enum class linkage : std::uint8_t { internal, visible, weak, common, external };

/// A parameter or result of a function.
struct parameter {
  std::string_view text;         ///< `.param .align 8 .b8 x[16]`
  std::string_view name;         ///< `x`, `_` for one without a name
  std::string_view type;         ///< `.b8`
  std::uint32_t alignment = 0;   ///< [bytes] of the parameter, not of what it points to; 0 where it is not given
  std::uint64_t size_bytes = 0;  ///< of all elements; 0 for an array without bounds and for `.pred`
  bool is_register = false;      ///< `.reg` instead of `.param`
};

/// A function with its body, or a declaration of one.
struct function {
  std::string_view name;
  linkage linked = linkage::internal;
  bool is_entry = false;        ///< a kernel
  bool is_declaration = false;  ///< ends with `;`
  std::vector<parameter> results, parameters;
  std::vector<std::string_view> tuning;  ///< `.maxntid 128, 1, 1`, `.maxnreg 64`, `.noreturn`, `.pragma "…";` in order
  std::size_t head = 0;                  ///< number of its function_head in module::statements
  std::size_t begin = 0, end = 0;        ///< numbers of its body's scope_begin and scope_end; equal for a declaration

  /// Whether it has this tuning directive, whatever stands behind it: has(".maxntid").
  bool has(std::string_view directive) const;
};

/// Memory that is declared at the module's level. A directive may declare several.
struct variable {
  std::string_view text, name;
  std::string_view space;  ///< `.global`
  linkage linked = linkage::internal;
  std::size_t statement = 0;
};

/// `.file 1 "a.cu"`: the name without quotes, as it is written.
struct source_file {
  std::uint32_t number;
  std::string_view name;
};

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/declarations.inl>
#endif
