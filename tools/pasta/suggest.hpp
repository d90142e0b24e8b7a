// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_SUGGEST_HPP
#define PASTA_TOOLS_PASTA_SUGGEST_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::cli {

/// The least number of insertions, deletions, replacements and swaps of neighbours that make one word of the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to a misspelt word, or "" if none is near: a third of its letters may be wrong.
std::string nearest(std::string_view word, std::vector<std::string> const& candidates);

/// "; did you mean X?" or "". The prefix ("--") stands before the suggestion.
std::string suggestion(std::string_view word, std::vector<std::string> const& candidates, std::string_view prefix = "");

}  // namespace pasta::cli
#endif
