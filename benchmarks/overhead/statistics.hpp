// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_BENCHMARKS_OVERHEAD_STATISTICS_HPP
#define PASTA_BENCHMARKS_OVERHEAD_STATISTICS_HPP

#include <algorithm>
#include <cstddef>
#include <vector>

/// The value below which a share of the values lies, between neighbours in proportion: 0.5 is the median.
/// @param values at least one
inline double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  double const place = share * static_cast<double>(values.size() - 1);
  auto const below = static_cast<std::size_t>(place);
  std::size_t const above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

#endif
