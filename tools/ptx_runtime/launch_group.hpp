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

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kept_memory.hpp"
#include "lanes.hpp"
#include "launch_counts.hpp"

namespace pasta::ptx {

struct function_record;
struct launch_bin;

struct launch_group : collecting::launch_counts {
  std::string range;                    ///< the annotated ranges that it is of
  std::uint32_t part = 0;               ///< of a sample
  std::string key;                      ///< of both: "" for those of no range and the first part
  std::optional<std::uint64_t> launch;  ///< the number of the one launch that it is
  launch_group* merged_into = nullptr;

  std::uint64_t left_out = 0;  ///< of the launches, not to be analysed
  std::vector<launch_bin*> bins;

  launch_group const& root() const { return merged_into == nullptr ? *this : merged_into->root(); }
  launch_group& root() { return merged_into == nullptr ? *this : merged_into->root(); }
};

struct launch_bin : collecting::kept_copy {
  CUdeviceptr memory = 0;  ///< its set; 0: read, and given back
  bool is_once = false;    ///< for launches that do not come again
  std::vector<std::pair<function_record*, launch_group*>> groups;
  lane const* on = nullptr;     ///< the stream of those that had it to themselves
  std::uint32_t last = 0;       ///< the last of them
  std::uint32_t strangers = 0;  ///< launches of other streams that run, and may add to it

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
