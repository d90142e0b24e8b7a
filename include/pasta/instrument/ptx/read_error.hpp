// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_READ_ERROR_HPP
#define PASTA_INSTRUMENT_PTX_READ_ERROR_HPP

#include <fmt/format.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace pasta::ptx {

/// The text is not PTX, or is cut short. what() is one line: `line 7: the scope that begins here does not end`.
struct read_error : std::runtime_error {
  read_error(std::size_t at_line, std::string const& message)
      : std::runtime_error(fmt::format("line {}: {}", at_line, message)), line(at_line) {}
  std::size_t line;  ///< in the PTX, from 1
};

}  // namespace pasta::ptx
#endif
