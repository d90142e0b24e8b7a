// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What PTX text consists of. Reading is lossless: every view points into the source, nothing is normalised, and what a
/// later PTX version adds is kept as text. ptx/edits.hpp changes the text.
#ifndef PASTA_INSTRUMENT_PTX_MODULE_HPP
#define PASTA_INSTRUMENT_PTX_MODULE_HPP

#include <cstddef>
#include <cstdint>
#include <pasta/instrument/ptx/statement.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptx {

/// The text is not PTX, or is cut short. what() is one line: `line 7: the scope that begins here does not end`.
struct read_error : std::runtime_error {
  read_error(std::size_t at_line, std::string const& message);
  std::size_t line;  ///< in the PTX, from 1
};

enum class linkage : std::uint8_t { internal, visible, weak, common, external };

/// A parameter or result of a function.
struct parameter {
  std::string_view text;         ///< `.param .align 8 .b8 x[16]`
  std::string_view name;         ///< `x`, `_` for one without a name
  std::string_view type;         ///< `.b8`
  std::uint32_t alignment = 0;   ///< [bytes], 0 where it is not given
  std::uint64_t size_bytes = 0;  ///< of all elements; 0 for an array without bounds
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

  bool has(std::string_view directive) const;  ///< `.noreturn`, also with arguments behind it
};

/// Memory that is declared at the module's level.
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

struct module {
  std::string_view source;
  std::string_view version;            ///< `8.0`
  std::string_view target;             ///< `sm_90a`, without what follows (`texmode_independent`, `debug`)
  std::uint32_t address_bits = 32;     ///< PTX's default where `.address_size` is missing
  bool has_debug_information = false;  ///< `.target …, debug`
  std::vector<statement> statements;
  std::vector<function> functions;  ///< declarations too; one name may occur several times
  std::vector<variable> variables;
  std::vector<source_file> files;

  /// The place of a view in the source [bytes].
  std::size_t offset_of(std::string_view part) const { return static_cast<std::size_t>(part.data() - source.data()); }
  /// The definition with that name, else a declaration, else null.
  function const* find(std::string_view name) const;
};

/// Reads PTX 6.0 to 9.x. Time and memory grow with the length of the text, whatever is in it; scopes may nest to any
/// depth. @param source must outlive the result. @throws read_error; std::bad_alloc.
inline module read(std::string_view source);

/// Whether the text begins, behind blanks and comments, with `.version`.
inline bool looks_like_ptx(std::string_view text) noexcept;

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/module.inl>
#endif
