// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a hook and the program that splices it must agree on.
///
/// A hook's PTX has, beside what its handlers need:
///
///     .visible .const .align 4 .u32 pasta_hook_abi[hook_abi_words]   a hook_abi
///     .visible .func … pasta_hook_EVENT(…)                           one for each hook_function
///
/// Parameters are words of 32 or 64 bits by value, in the order of parameters_of(): what the event says, the number
/// of the site's row, and the addresses of the rows that the hook writes to (hook_rows; of events without a site
/// those of the function alone). Behind them is the thread_state of the tool, words of 32 bits in an array; of a
/// tool without one it is an empty struct. A hook of a tool with a thread_state returns it in the same form.
/// Without one pasta_hook_memory_access returns 64 bits: 0, or where `keeps` asked for it 2^32 and a byte for each
/// count of the tool, what the caller is to add later, as often as it says, in the hook's place. The rest of the
/// state is merged: merging the same once more changes nothing. The others return nothing.
#ifndef PASTA_INSTRUMENT_HOOK_ABI_HPP
#define PASTA_INSTRUMENT_HOOK_ABI_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pasta::detail {

inline constexpr std::uint32_t hook_abi_version = 2;

/// What a hook consists of. The first eight are events.
enum class hook_function : std::uint8_t {
  memory_access,
  async_copy,
  barrier,
  branch,
  matrix_operation,
  call,
  thread_enter,
  thread_exit,
  start,  ///< makes a thread's state
  fold    ///< merges it, and sets it back
};
inline constexpr std::size_t hook_function_count = 10, hook_event_count = 8;

constexpr std::string_view to_string(hook_function which) {
  constexpr std::string_view names[] = {"memory_access", "async_copy",   "barrier",     "branch", "matrix_operation",
                                        "call",          "thread_enter", "thread_exit", "start",  "fold"};
  return names[static_cast<std::size_t>(which)];
}
/// Bits of abi_events.
constexpr std::uint32_t handled_bit(hook_function event) { return 1u << 2 * static_cast<std::uint32_t>(event); }
constexpr std::uint32_t counted_bit(hook_function event) { return 2u << 2 * static_cast<std::uint32_t>(event); }

/// A function's parameters without the thread_state: how many, and their sizes [bytes].
struct hook_parameters {
  std::size_t count;
  std::uint32_t bytes[11];
};
constexpr hook_parameters parameters_of(hook_function which) {
  switch (which) {
    case hook_function::memory_access:  // hook_access, hook_rows
      return {10, {8, 4, 4, 4, 4, 8, 8, 8, 8, 4}};
    case hook_function::async_copy:  // hook_copy; as the next three: site, hook_rows without `keeps`
      return {11, {8, 8, 8, 8, 4, 4, 4, 8, 8, 8, 8}};
    case hook_function::barrier:  // barrier_scope
    case hook_function::branch:   // 1 in a lane for which the condition holds, else 0
      return {6, {4, 4, 8, 8, 8, 8}};
    case hook_function::matrix_operation:  // hook_product
      return {10, {4, 4, 4, 4, 4, 4, 8, 8, 8, 8}};
    case hook_function::call:  // address of the function that is called
      return {6, {8, 4, 8, 8, 8, 8}};
    case hook_function::thread_enter:  // the function's rows
    case hook_function::thread_exit:
    case hook_function::fold:
      return {2, {8, 8}};
    case hook_function::start:
      break;
  }
  return {0, {}};
}

/// One lane's access.
struct hook_access {
  std::uint64_t address;  ///< in the window of its space
  std::uint32_t size_bytes;
  std::uint32_t kind;   ///< access_kind
  std::uint32_t space;  ///< memory_space
  std::uint32_t site;   ///< number of the site's row
};

/// One lane's copy.
struct hook_copy {
  std::uint64_t source_address, destination_address;  ///< each in the window of its space
  std::uint64_t size_bytes, source_size_bytes;
  std::uint32_t source_space, destination_space;
};

/// A product of matrices.
struct hook_product {
  std::uint32_t m, n, k;
  std::uint32_t input, accumulator;  ///< element_type
};

/// Most counts of a tool that are returned.
inline constexpr std::uint32_t max_kept_counts = 4;
/// Instead of the four counts: the request was in order.
inline constexpr std::uint32_t kept_in_order = 0xffffffff;

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
  block_events,  ///< it handles block_enter or block_exit
};

inline constexpr std::uint32_t never_kept = ~0u, kept_function = 1u << 31;

/// Words of pasta_hook_abi.
enum hook_abi_word : std::uint32_t {
  abi_version,
  abi_obstacle,          ///< a hook_obstacle
  abi_events,            ///< handled_bit() and counted_bit() of each event
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
  abi_thread_state_words,
  hook_abi_words
};

/// Most words of the thread_states of all tools in a function, and in one that has few registers to spare.
inline constexpr std::uint32_t max_thread_state_words = 32, max_words_in_little_room = 4;

}  // namespace pasta::detail
#endif
