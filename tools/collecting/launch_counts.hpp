// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_COLLECTING_LAUNCH_COUNTS_HPP
#define PASTA_TOOLS_COLLECTING_LAUNCH_COUNTS_HPP

#include <atomic>
#include <cstdint>
#include <pasta/vendor/launch_shape.hpp>

namespace pasta::collecting {

/// How often a kernel was launched, and in which shape.
struct launch_counts {
  launch_shape first;
  std::atomic<bool> is_shape_set{false}, has_one_shape{true};
  std::atomic<std::uint64_t> shared_bytes{0};  ///< the largest
  std::atomic<std::uint64_t> launches{0};
  std::uint64_t delivered = 0;  ///< of them, launches whose results were read

  /// Launches in a row with one shape, such as a graph's node replayed. Any thread.
  void add_launches(std::uint64_t count) { launches.fetch_add(count, std::memory_order_relaxed); }
  /// Behind the first. Any thread.
  void see_shape(launch_shape const& shape) {
    if (!(shape.grid == first.grid && shape.block == first.block))
      has_one_shape.store(false, std::memory_order_relaxed);
    std::uint64_t known = shared_bytes.load(std::memory_order_relaxed);
    while (known < shape.shared_bytes && !shared_bytes.compare_exchange_weak(known, shape.shared_bytes)) {
    }
  }
};

}  // namespace pasta::collecting
#endif
