// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Lanes of a warp that are at one place, and where they meet others.
#ifndef PASTA_TESTS_EMULATION_PTX_PARTS_HPP
#define PASTA_TESTS_EMULATION_PTX_PARTS_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "code.hpp"

namespace ptx_emulation {

/// One call of a function, of all lanes that called it together.
struct frame {
  code const* function = nullptr;
  std::vector<std::uint64_t> rows;
  std::vector<std::byte> parameters;  // of lane 0, of lane 1, …
  std::uint32_t local_begin = 0, local_end = 0;
  std::shared_ptr<frame> caller;  // null for a kernel
  std::uint32_t called_by = 0;    // number of the call in the caller
};

/// Where the lanes that a branch parted go on together. A lane that ends its thread is expected no more.
struct meeting {
  std::shared_ptr<frame> where;
  std::uint32_t point = 0;  // number of the instruction; that behind the last: the return
  lane_mask expected = 0, arrived = 0;
  std::uint64_t since = 0;  // how many instructions the warp had executed as the last ones arrived
  std::shared_ptr<meeting> outer;
};

enum class waiting : std::uint8_t { not_at_all, for_lanes, for_block };

struct part {
  lane_mask lanes = 0;
  std::uint32_t at = 0;  // number of the next instruction
  std::shared_ptr<frame> where;
  std::shared_ptr<meeting> top;  // the innermost of those that expect its lanes
  waiting state = waiting::not_at_all;
  lane_mask members = 0;      // waits for these lanes
  std::uint32_t barrier = 0;  // waits at this one
  bool is_released = false;   // has just been waited for by others

  op const& next() const { return where->function->ops[at]; }
};

}  // namespace ptx_emulation
#endif
