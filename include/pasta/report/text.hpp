// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_REPORT_TEXT_HPP
#define PASTA_REPORT_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <string>

#include <pasta/report/model.hpp>

namespace pasta {

enum class text_color : std::uint8_t { never, always };
enum class text_scope : std::uint8_t { everything, findings };

/// How a report is written for a terminal.
struct text_options {
  std::size_t width = 100;     ///< columns of the terminal; at least 60 are used
  std::size_t row_limit = 40;  ///< rows of a table; the rest is counted
  text_color color = text_color::never;
  text_scope scope = text_scope::everything;
  std::string folder;  ///< absolute: source files below it are named relative to it
};

/// Options for a descriptor: its width, color if it is a terminal and NO_COLOR is not set, the current folder.
inline text_options text_options_for(int descriptor);

/// The report for reading, most important first: what it is about, findings, then tables by tool and kernel. Beside a
/// row with columns file and line stands that line of the source, if it can be read now. No byte of a name reaches the
/// text as a control character.
inline std::string to_text(report_model const& report, text_options const& options);

}  // namespace pasta

#include <pasta/report/detail/text.inl>
#endif
