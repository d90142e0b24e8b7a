// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a tool's patch functions (instrument/cuda/patch.hpp) and the program that has the Compute Sanitizer call them
/// must agree on.
///
/// A kernel's user data pointer is the address of its patch_state, or says where its code_rows are. A site is found by
/// the instruction's address and what it does, in a table in the GPU's memory that all kernels of a context share; its
/// number is its place there, and its row (instrument/hook_layout.hpp) has the same number.
#ifndef PASTA_INSTRUMENT_PATCH_ABI_HPP
#define PASTA_INSTRUMENT_PATCH_ABI_HPP

#include <pasta/instrument/block_sample.hpp>
#include <pasta/instrument/site.hpp>
#include <string_view>

namespace pasta::detail {

/// Part of each function's name: patches of another version are not found, instead of going wrong.
#define PASTA_PATCH_VERSION 3

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
struct alignas(256) patch_state {
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
static_assert(sizeof(patch_state) == 256);

/// Rows of a kernel by its instructions, for tools that do nothing but count. An event is then one addition, and one
/// byte that says what is done there: nothing is looked for, and no word is waited for. In the GPU's memory, from an
/// address that is a multiple of 256:
///
///     patch_state            of the kernel, for what has no row here
///     counts [shards][rows]  executions [lanes], 8 bytes each
///     kinds  [shards][rows]  a byte each; 0: not executed
///
/// The rows are as many, a power of two, as the kernel has instructions at least, and its instructions lie in one
/// piece.
/// @param word the kernel's user data pointer: the address, and both logarithms in the lowest byte
struct code_rows {
  std::uint64_t word = 0;

  static constexpr std::uint32_t max_rows_log2 = 15, max_shards_log2 = 7, instruction_bytes = 16;

  PASTA_DEVICE static constexpr code_rows make(std::uint64_t address, std::uint32_t rows_log2,
                                               std::uint32_t shards_log2) {
    return {address | 1 | rows_log2 << 1 | shards_log2 << 5};
  }
  PASTA_DEVICE static constexpr std::uint64_t bytes_for(std::uint32_t rows_log2, std::uint32_t shards_log2) {
    return sizeof(patch_state) + (std::uint64_t{9} << (rows_log2 + shards_log2));
  }

  /// Else the word is the address of a patch_state.
  PASTA_DEVICE constexpr bool exist() const { return (word & 1) != 0; }
  PASTA_DEVICE constexpr std::uint64_t address() const { return word & ~std::uint64_t{255}; }
  PASTA_DEVICE constexpr std::uint32_t rows_log2() const { return static_cast<std::uint32_t>(word) >> 1 & 15; }
  PASTA_DEVICE constexpr std::uint32_t shards_log2() const { return static_cast<std::uint32_t>(word) >> 5 & 7; }
  /// Which row of all shards is the instruction's.
  PASTA_DEVICE constexpr std::uint32_t row(std::uint64_t instruction, std::uint32_t multiprocessor) const {
    std::uint32_t const in_shard =
                            (static_cast<std::uint32_t>(instruction) / instruction_bytes) & ~(~0u << rows_log2()),
                        shard = multiprocessor & ~(~0u << shards_log2());
    return shard << rows_log2() | in_shard;
  }
  /// The instruction of a row of the first shard. @param first the kernel's first instruction
  constexpr std::uint64_t instruction(std::uint32_t row, std::uint64_t first) const {
    std::uint32_t const behind = (row - static_cast<std::uint32_t>(first / instruction_bytes)) & ~(~0u << rows_log2());
    return first + std::uint64_t{behind} * instruction_bytes;
  }
  PASTA_DEVICE constexpr std::uint64_t counts() const { return address() + sizeof(patch_state); }
  PASTA_DEVICE constexpr std::uint64_t kinds() const {
    return counts() + (std::uint64_t{8} << (rows_log2() + shards_log2()));
  }

  /// A byte of `kinds`. @param size_log2 at most 7
  PASTA_DEVICE static constexpr std::uint8_t kind(std::uint32_t what, std::uint32_t space, std::uint32_t size_log2) {
    return static_cast<std::uint8_t>(128 | what << 5 | space << 3 | size_log2);
  }
  static constexpr operation what(std::uint8_t kind) { return static_cast<operation>(kind >> 5 & 3); }
  static constexpr std::uint8_t space(std::uint8_t kind) { return kind >> 3 & 3; }
  static constexpr std::uint32_t size_bytes(std::uint8_t kind) { return std::uint32_t{1} << (kind & 7); }
};

}  // namespace pasta::detail
#endif
