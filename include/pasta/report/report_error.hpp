// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_REPORT_REPORT_ERROR_HPP
#define PASTA_REPORT_REPORT_ERROR_HPP

#include <stdexcept>

namespace pasta {

/// A report that cannot be read, written or shown. what() is one line for the user, without control characters.
struct report_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace pasta
#endif
