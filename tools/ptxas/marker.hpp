// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The line by which an instrumented text is known: `// instrumented by PASTA 0.1.0: access_count`.
#ifndef PASTA_TOOLS_PTXAS_MARKER_HPP
#define PASTA_TOOLS_PTXAS_MARKER_HPP

#include <span>
#include <string>
#include <string_view>

namespace pasta::ptxas {

/// The line for these tools and this version of PASTA, without a newline.
std::string make_marker(std::span<std::string const> tools);

/// The marker among the comment lines at the start of a text; empty if there is none. A view of the text.
std::string_view find_marker(std::string_view text) noexcept;

}  // namespace pasta::ptxas
#endif
