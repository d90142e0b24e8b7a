// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_VENDOR_ERROR_HPP
#define PASTA_VENDOR_VENDOR_ERROR_HPP

#include <stdexcept>
#include <string>

namespace pasta {

/// What the GPU, its driver or a kernel did not do. what() is one line for the user.
struct vendor_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace pasta
#endif
