// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_LAUNCH_SHAPE_SUMMARY_HPP
#define PASTA_SESSION_LAUNCH_SHAPE_SUMMARY_HPP

#include <algorithm>
#include <pasta/vendor/launch_shape.hpp>

namespace pasta {

/// The shape of a kernel's launches so far.
class launch_shape_summary {
 public:
  void add(launch_shape const& shape) {
    if (launch_count_++ == 0) {
      grid_ = shape.grid, block_ = shape.block;
    } else {
      is_one_ = is_one_ && grid_ == shape.grid && block_ == shape.block;
    }
    shared_bytes_ = std::max<std::uint64_t>(shared_bytes_, shape.shared_bytes);
  }
  void fill(dim3& grid, dim3& block, bool& is_one, std::uint64_t& shared_bytes) const {
    grid = grid_, block = block_, is_one = is_one_, shared_bytes = shared_bytes_;
  }

 private:
  dim3 grid_, block_;
  std::uint64_t launch_count_ = 0, shared_bytes_ = 0;
  bool is_one_ = true;
};

}  // namespace pasta
#endif
