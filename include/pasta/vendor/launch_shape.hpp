// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_LAUNCH_SHAPE_HPP
#define PASTA_VENDOR_LAUNCH_SHAPE_HPP

#include <pasta/config.hpp>

namespace pasta {

/// How many threads a launch has, and what each block gets.
struct launch_shape {
  dim3 grid, block;              ///< [blocks], [threads]
  std::size_t shared_bytes = 0;  ///< dynamic shared memory of each block
};

}  // namespace pasta
#endif
