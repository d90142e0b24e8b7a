// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTXAS_LINE_MAP_HPP
#define PASTA_TOOLS_PTXAS_LINE_MAP_HPP

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace pasta::ptxas {

/// Which lines of an instrumented text are lines of the original. Both are compared line by line, from the end: what is
/// put in stands on lines of its own, mostly before what it belongs to, and cuts a line at most between statements.
class line_map {
 public:
  /// @return nothing if the original's lines are not all in the instrumented text, in their order
  static std::optional<line_map> make(std::string_view original, std::string_view instrumented);

  struct place {
    std::uint32_t line;  ///< of the original, from 1
    bool is_put_in;      ///< the line is not there; it stands before that one
  };
  /// @param line of the instrumented text, from 1
  place find(std::uint32_t line) const;

 private:
  std::vector<place> places_;
};

}  // namespace pasta::ptxas
#endif
