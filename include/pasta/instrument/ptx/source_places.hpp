// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Where in the program's source each statement comes from, as `.loc` says (nvcc -lineinfo or -G).
#ifndef PASTA_INSTRUMENT_PTX_SOURCE_PLACES_HPP
#define PASTA_INSTRUMENT_PTX_SOURCE_PLACES_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <pasta/instrument/ptx/module.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptx {

inline constexpr std::uint32_t no_place = UINT32_MAX;

struct source_place {
  std::string_view file;            ///< as in source_file::name; empty if the module has no such `.file`
  std::uint32_t line = 0;           ///< from 1; 0 for what the compiler added
  std::uint32_t column = 0;         ///< of the statement's begin, as nvcc writes it; 0 where it is not known
  std::string_view function;        ///< the inlined function that holds the place, mangled; empty if it is not inlined
  std::uint32_t caller = no_place;  ///< the place that function was inlined at; no_place if it is not inlined
};

/// Views the module's source, which must outlive this. A copy shares the names of the functions.
class source_places {
 public:
  explicit source_places(module const& from);

  /// Number of the place in force at a statement of the module; no_place before the first `.loc` of a function. The
  /// same place has the same number wherever it is in force.
  std::uint32_t number_of(std::size_t statement) const { return of_statement_[statement]; }
  source_place const& operator[](std::uint32_t number) const { return places_[number]; }
  /// Number of different places; a caller's number is lower than that of what was inlined there.
  std::size_t size() const { return places_.size(); }

  /// The place in force at a statement, then the place its function was inlined at, and so on outwards. At most 256.
  ///
  /// `.loc` names the caller's place only, and PTX has the caller's own `.loc` stand before: the last one counts. Of
  /// functions inlined at one place within each other, one that already stands in the chain is not entered again, so a
  /// recursion that is inlined more than once shows once.
  std::vector<source_place> chain(std::size_t statement) const;

 private:
  std::vector<source_place> places_;
  std::vector<std::uint32_t> of_statement_;
  std::shared_ptr<std::string const> names_;  // what is in .debug_str
};

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/source_places.inl>
#endif
