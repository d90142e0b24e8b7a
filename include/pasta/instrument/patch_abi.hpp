// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a tool's patch functions (instrument/cuda/patch.hpp) and the program that has the Compute Sanitizer call them
/// must agree on.
///
/// A kernel's user data pointer is the address of its patch_state. A site is found by the instruction's address and
/// what it does, in a table in the GPU's memory that all kernels of a context share; its number is its place there, and
/// its row (instrument/hook_layout.hpp) has the same number.
#ifndef PASTA_INSTRUMENT_PATCH_ABI_HPP
#define PASTA_INSTRUMENT_PATCH_ABI_HPP

#include <pasta/instrument/block_sample.hpp>
#include <pasta/instrument/site.hpp>
#include <string_view>

namespace pasta::detail {

/// Part of each function's name: patches of another version are not found, instead of going wrong.
#define PASTA_PATCH_VERSION 2

// Every kind of instruction that is patched. The vendor's header says what each is called with.
#define PASTA_DETAIL_FOR_EACH_PATCH(X) \
  X(global_access)                     \
  X(shared_access)                     \
  X(local_access)                      \
  X(remote_shared_access)              \
  X(matrix_access)                     \
  X(copy_async)                        \
  X(async_store)                       \
  X(async_reduction)                   \
  X(bulk_global_to_shared)             \
  X(bulk_shared_to_global)             \
  X(bulk_shared_to_shared)             \
  X(bulk_reduction_to_global)          \
  X(bulk_reduction_to_shared)          \
  X(shared_set)                        \
  X(barrier)                           \
  X(warp_barrier)                      \
  X(cluster_barrier)                   \
  X(cuda_barrier)                      \
  X(call)                              \
  X(thread_enter)                      \
  X(thread_exit)

enum class patch_function : std::uint8_t {
#define PASTA_DETAIL_LIST(name) name,
  PASTA_DETAIL_FOR_EACH_PATCH(PASTA_DETAIL_LIST)
#undef PASTA_DETAIL_LIST
};
#define PASTA_DETAIL_COUNT(name) +1
inline constexpr std::size_t patch_function_count = 0 PASTA_DETAIL_FOR_EACH_PATCH(PASTA_DETAIL_COUNT);
#undef PASTA_DETAIL_COUNT

constexpr std::string_view to_string(patch_function which) {
#define PASTA_DETAIL_LIST(name) #name,
  constexpr std::string_view names[] = {PASTA_DETAIL_FOR_EACH_PATCH(PASTA_DETAIL_LIST)};
#undef PASTA_DETAIL_LIST
  return names[static_cast<std::size_t>(which)];
}
constexpr std::uint32_t patch_bit(patch_function which) { return 1u << static_cast<std::uint32_t>(which); }

/// A site's identity in the table. Both words are set once, by compare and exchange; zeros are a free place.
struct alignas(16) patch_site {
  std::uint64_t address = 0;  ///< of the instruction
  std::uint64_t about = 0;    ///< patch_about()

  constexpr std::uint32_t kernel() const { return static_cast<std::uint32_t>(about >> 32) & max_kernels; }
  constexpr operation what() const { return static_cast<operation>(about >> 28 & 15); }
  /// Of a memory access or a copy's write; a barrier's scope is in its place.
  constexpr std::uint8_t space() const { return static_cast<std::uint8_t>(about >> 24 & 15); }
  constexpr std::uint32_t size_bytes() const { return static_cast<std::uint32_t>(about & max_size); }

  static constexpr std::uint32_t max_kernels = (1u << 31) - 1, max_size = (1u << 24) - 1;
};

/// @param kernel number of the kernel's patch_state @param space a memory_space or barrier_scope
/// @param size_bytes no instruction moves as much as max_size for a lane
PASTA_DEVICE constexpr std::uint64_t patch_about(std::uint32_t kernel, operation what, std::uint32_t space,
                                                 std::uint64_t size_bytes) {
  std::uint32_t const high = std::uint32_t{1} << 31 | (kernel & patch_site::max_kernels),
                      low = (static_cast<std::uint32_t>(what) & 15) << 28 | (space & 15) << 24 |
                            (static_cast<std::uint32_t>(size_bytes) & patch_site::max_size);
  return std::uint64_t{high} << 32 | low;
}

/// Where a site is looked for first. What is done at one address differs seldom, and has its place behind.
/// @param shift 32 - log2(number of places)
PASTA_DEVICE constexpr std::uint32_t patch_place(std::uint64_t address, std::uint32_t kernel, std::uint32_t shift) {
  // Instructions are 16 bytes long: the product's high bits have all of the address.
  return (static_cast<std::uint32_t>(address) * 0x9e3779b9u + kernel * 0x85ebca6bu) >> shift;
}
/// How many places behind are tried.
inline constexpr std::uint32_t patch_tries = 128;
/// A handler's site number has 16 bits.
inline constexpr std::uint32_t most_patch_sites = 1u << 16;
/// No place was left for the site.
inline constexpr std::uint32_t no_patch_row = ~0u;

/// What a kernel's user data pointer points at, in the GPU's memory. Written before the kernel's first launch.
struct alignas(128) patch_state {
  // What each event needs, in two loads of 16 bytes.
  std::uint64_t sites = 0;         ///< patch_site[number of places]
  std::uint64_t site_shards = 0;   ///< the first shard's rows of sites
  std::uint32_t shard_stride = 0;  ///< from one shard to the next [bytes]
  std::uint32_t shard_mask = 0;  ///< number of shards - 1; a power of two; with sampled_blocks where blocks are sampled
  std::uint32_t place_shift = 0;  ///< 32 - log2(number of places), which is at least 2
  std::uint32_t kernel = 0;       ///< its number in the context

  std::uint64_t site_shared = 0;      ///< what is once for all shards of the rows of sites
  std::uint64_t function_shards = 0;  ///< the kernel's own row in the first shard
  std::uint64_t function_shared = 0;  ///< and what is once for all shards
  std::uint64_t dropped = 0;          ///< lanes of events whose site found no place; written by the GPU

  block_sample blocks;  ///< that are analysed, where blocks are sampled: a block's shard is its hash's last bits

  /// A bit that no multiprocessor's number has.
  static constexpr std::uint32_t sampled_blocks = std::uint32_t{1} << 31;
  PASTA_DEVICE constexpr bool is_sampling_blocks() const { return (shard_mask & sampled_blocks) != 0; }
  PASTA_DEVICE constexpr std::uint32_t places() const { return std::uint32_t{1} << (32 - place_shift); }
};
static_assert(sizeof(patch_state) == 128);

}  // namespace pasta::detail
#endif
