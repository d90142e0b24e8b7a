// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What PTX text consists of. Reading is lossless: every view points into the source, nothing is normalised, and what a
/// later PTX version adds is kept as text. ptx/edits.hpp changes the text.
#ifndef PASTA_INSTRUMENT_PTX_MODULE_HPP
#define PASTA_INSTRUMENT_PTX_MODULE_HPP

#include <cstddef>
#include <cstdint>
#include <pasta/instrument/ptx/declarations.hpp>
#include <pasta/instrument/ptx/read_error.hpp>
#include <pasta/instrument/ptx/statement.hpp>
#include <string_view>
#include <vector>

namespace pasta::ptx {

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
  /// The definition with that name, else a declaration, else null. Looks at each function.
  function const* find(std::string_view name) const;
};

/// Reads PTX 6.0 to 9.x. Time and memory grow with the length of the text, whatever is in it; scopes may nest to any
/// depth. What the text means is for ptxas to judge: an unknown instruction or directive is a statement too.
/// @param source below 4 GiB; must outlive the result. A NUL in it is a blank.
/// @throws read_error; std::bad_alloc.
inline ptx::module read(std::string_view source);

/// Whether the text begins, behind blanks, comments and lines such as `# 1 "a.cu"`, with `.version`.
inline bool looks_like_ptx(std::string_view text) noexcept;

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/module.inl>
#endif
