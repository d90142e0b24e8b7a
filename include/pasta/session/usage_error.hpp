// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_USAGE_ERROR_HPP
#define PASTA_SESSION_USAGE_ERROR_HPP

#include <stdexcept>

namespace pasta {

/// A variable, option or value that is not right. what() is one line for the user.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace pasta
#endif
