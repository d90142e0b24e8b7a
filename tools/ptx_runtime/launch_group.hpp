// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which launches are kept apart, and where what they collect is.
///
/// An attachment has several sets of memory. A **bin** is one set in use: launches of several kernels may add to one
/// bin, since each has rows of its own in it, but of one kernel only the launches of one **group**, which a report
/// shows as one.
#ifndef PASTA_TOOLS_PTX_RUNTIME_LAUNCH_GROUP_HPP
#define PASTA_TOOLS_PTX_RUNTIME_LAUNCH_GROUP_HPP

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <pasta/vendor/launch_shape.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lanes.hpp"

namespace pasta::ptx {

struct function_record;
struct launch_bin;

struct launch_group {
  std::string range;                    ///< the annotated ranges that it is of
  std::optional<std::uint64_t> launch;  ///< the number of the one launch that it is
  launch_group* merged_into = nullptr;

  launch_shape first;  ///< of the launches
  std::atomic<bool> is_shape_set{false}, has_one_shape{true};
  std::atomic<std::uint64_t> shared_bytes{0};  ///< the largest
  std::atomic<std::uint64_t> launches{0};
  std::uint64_t left_out = 0;   ///< of them, not to be analysed
  std::uint64_t delivered = 0;  ///< of them, launches whose results were read
  std::vector<launch_bin*> bins;

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
  launch_group const& root() const { return merged_into == nullptr ? *this : merged_into->root(); }
  launch_group& root() { return merged_into == nullptr ? *this : merged_into->root(); }
};

struct launch_bin {
  CUdeviceptr memory = 0;  ///< its set; 0: read, and given back
  bool is_once = false;    ///< for launches that do not come again
  std::vector<std::pair<function_record*, launch_group*>> groups;
  lane const* on = nullptr;     ///< the stream of those that had it to themselves
  std::uint32_t last = 0;       ///< the last of them
  std::uint32_t strangers = 0;  ///< launches of other streams that run, and may add to it

  std::vector<std::byte> copy;    ///< as last read: what there is once, then shards; empty: never
  std::uint32_t shard_count = 0;  ///< in the copy

  /// The group of a function's launches in it, or null.
  launch_group*& group_of(function_record* function) {
    for (auto& [known, group] : groups) {
      if (known == function) return group;
    }
    return groups.emplace_back(function, nullptr).second;
  }
};

}  // namespace pasta::ptx
#endif
