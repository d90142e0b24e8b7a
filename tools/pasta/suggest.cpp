// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pasta::cli {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      bool const is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string nearest(std::string_view word, std::vector<std::string> const& candidates) {
  std::string best;
  if (word.size() > 100) return best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (std::string const& candidate : candidates) {
    std::size_t const distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::vector<std::string> const& candidates, std::string_view prefix) {
  std::string const name = nearest(word, candidates);
  return name.empty() ? "" : fmt::format("; did you mean {}{}?", prefix, name);
}

}  // namespace pasta::cli
