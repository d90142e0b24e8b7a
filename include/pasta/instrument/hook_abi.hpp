// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a hook and the program that splices it must agree on.
///
/// A hook's PTX has, beside what its handler needs:
///
///     .visible .const .align 4 .u32 pasta_hook_abi[hook_abi_words]   a hook_abi
///     .visible .func (u64) pasta_hook_memory_access(…)                parameters: hook_access, hook_rows, in order
///
/// Parameters are words of 32 or 64 bits by value. What is returned is 0, or where `keeps` asked for it 2^32 and a byte
/// for each count of the tool: what the caller is to add later, as often as it says, in the hook's place. The rest of
/// the state is merged: merging the same once more changes nothing.
#ifndef PASTA_INSTRUMENT_HOOK_ABI_HPP
#define PASTA_INSTRUMENT_HOOK_ABI_HPP

#include <cstdint>

namespace pasta::detail {

inline constexpr std::uint32_t hook_abi_version = 1;

/// One lane's access.
struct hook_access {
  std::uint64_t address;  ///< in the window of its space
  std::uint32_t size_bytes;
  std::uint32_t kind;   ///< access_kind
  std::uint32_t space;  ///< memory_space
  std::uint32_t site;   ///< number of the site's row
};

/// Most counts of a tool that are returned.
inline constexpr std::uint32_t max_kept_counts = 4;

/// Addresses of the rows that the hook writes to.
struct hook_rows {
  std::uint64_t site_shard, site_shared, function_shard, function_shared;
  std::uint32_t keeps;  ///< 1: counts are returned if they can be
};

/// Bits of `watched`: sizes of 1, 2, … 32 bytes of one kind and space stand side by side.
inline constexpr std::uint32_t watched_sizes = 6;
constexpr std::uint32_t watched_bit(std::uint32_t kind, std::uint32_t space, std::uint32_t log2_of_size) {
  return (kind * 3 + space) * watched_sizes + log2_of_size;
}

/// Requests of a whole warp whose lanes access element after element are counted by where they begin in a sector, where
/// all tools of the site promise a period that divides it. They reach no handler on the GPU, but one on the host later
/// (session/ptx/settle_in_order.hpp).
inline constexpr std::uint32_t in_order_period = 32;

/// Why a tool has no hook.
enum class hook_obstacle : std::uint32_t {
  none,
  thread_state,  ///< it keeps state of threads
  events,        ///< it handles events of the GPU other than memory accesses
};

inline constexpr std::uint32_t never_kept = ~0u, kept_function = 1u << 31;

/// Words of pasta_hook_abi.
enum hook_abi_word : std::uint32_t {
  abi_version,
  abi_obstacle,          ///< a hook_obstacle
  abi_events,            ///< bit 0: memory_access is handled; bit 1: it is counted
  abi_site_shard_bytes,  ///< of each site's row; 0: the tool has no handler of events with a site
  abi_site_shared_bytes,
  abi_function_shard_bytes,
  abi_function_shared_bytes,
  abi_watched_low,  ///< which sites the tool watches: bits by watched_bit(); sites of other sizes are watched
  abi_watched_high,
  abi_kept_counts,  ///< number of counts that are returned; never_kept: none, nor is anything else
  abi_kept_place,   ///< of the first, and of the others behind it: bytes in the shard's row of the site, or
                    ///< kept_function
                    ///< and those in the function's
  abi_kept_place_last = abi_kept_place + max_kept_counts - 1,
  abi_address_period,  ///< requests that are a multiple of it apart do the same to the tool's state; 0: no promise
  hook_abi_words
};

}  // namespace pasta::detail
#endif
