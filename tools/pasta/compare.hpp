// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PASTA_COMPARE_HPP
#define PASTA_TOOLS_PASTA_COMPARE_HPP

#include <cstddef>
#include <cstdint>
#include <string>

#include <pasta/report/model.hpp>

namespace pasta::cli {

enum class comparison : std::uint8_t { equal, different };

struct compare_options {
  double threshold =
      1;  ///< a number counts as different if the larger is at least this times the smaller; 1: any difference
  std::size_t width = 100;  ///< columns of the text
};

struct compare_result {
  comparison outcome = comparison::equal;
  std::string text;  ///< for reading; empty if equal
};

/// Compares two reports by tool and kernel. Rows are matched by their key columns (source files by base name where that
/// is unambiguous, so that two build folders can be compared), findings by place and message. Times of kernels are
/// shown and never make reports different: no two runs have the same.
compare_result compare_reports(report_model const& a, report_model const& b, compare_options const& options);

}  // namespace pasta::cli
#endif
