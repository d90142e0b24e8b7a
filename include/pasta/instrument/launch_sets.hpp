// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Memory in which each launch has a set of its own, for the llvm route on AMD GPUs: module_state::launches points to
/// it where launches are kept apart. A wave finds the set by what the hardware calls its launch: its number in its
/// queue.
#ifndef PASTA_INSTRUMENT_LAUNCH_SETS_HPP
#define PASTA_INSTRUMENT_LAUNCH_SETS_HPP

#include <cstdint>

namespace pasta::detail {

/// Whose a set is. All zeros: nobody's. `dispatch` and `queue` are written once, by compare and exchange.
struct launch_entry {
  std::uint64_t dispatch;  ///< the launch's number in its queue + 1
  std::uint64_t queue;     ///< the queue's address
  std::uint64_t function;  ///< the kernel's index in the site table's functions + 1
};

/// Entries follow it, one for each set. A launch that finds no set adds to what all launches share.
struct launch_sets {
  std::uint64_t first;      ///< address of the first set: what its launch has once, then one shard
  std::uint64_t set_bytes;  ///< from one set to the next; less than 4 GiB
  std::uint64_t set_mask;   ///< number of sets - 1; a power of two
};

/// Sets that a launch may take, from the one that its number names.
inline constexpr std::uint32_t launch_set_tries = 8;

}  // namespace pasta::detail
#endif
