// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PATCH_RUNTIME_ARENA_HPP
#define PASTA_TOOLS_PATCH_RUNTIME_ARENA_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <pasta/instrument/patch_abi.hpp>
#include <pasta/session/patch/tool_patches.hpp>
#include <string>
#include <vector>

#include "sanitizer.hpp"

namespace pasta::patch {

/// Most memory of a GPU that results take in one context [bytes].
inline constexpr std::size_t memory_limit_bytes = std::size_t{16} << 20;

/// How one piece of memory is divided. Offsets and sizes in bytes.
struct arena_layout {
  explicit arena_layout(tool_patches const& of);

  std::uint32_t sites = 0, shards = 0;  ///< powers of two
  std::uint32_t kernels = 0;            ///< states: kernels, or launches that are kept apart
  std::uint32_t site_shard_bytes, site_shared_bytes, function_shard_bytes, function_shared_bytes;
  // The states and the table of sites; what is once for all shards; the shards; what is left for rows of kernels' code.
  std::size_t sites_begin = 0, site_shared_begin = 0, function_shared_begin = 0, shards_begin = 0, shard_stride = 0,
              code_begin = 0, bytes = 0;

 private:
  void place();
};

/// Rows of one kernel's code (detail::code_rows) in an arena.
struct code_region {
  detail::code_rows rows;
  std::size_t begin = 0;                    ///< of its patch_state in the arena's memory
  std::uint64_t code = 0;                   ///< the address of the kernel's first instruction
  Sanitizer_StreamHandle stream = nullptr;  ///< in which its state is written: launches in others come too early for it
};

/// What the patches of a context's kernels add to, in the GPU's memory.
class arena {
 public:
  arena(sanitizer const& with, tool_patches const& of) : with_(&with), layout_(of) {}

  arena_layout const& layout() const { return layout_; }
  bool exists() const { return memory_ != 0; }
  /// Takes the memory and fills it: no more is written to it by the host. Waits for the stream, once.
  /// @param blocks that are analysed @return "" or half a line
  std::string make(CUcontext context, Sanitizer_StreamHandle stream, block_sample const& blocks);
  /// Where the state with this number is, for the kernel's user data pointer.
  std::uint64_t user_data(std::uint32_t kernel) const {
    return memory_ + std::size_t{kernel} * sizeof(detail::patch_state);
  }
  /// Rows for the code of the kernel with this number; empty where there is no memory left for them, or the code is too
  /// long. Does not wait.
  /// @param code address of its first instruction @param code_bytes of all of it, in one piece
  std::optional<code_region> add_region(std::uint32_t kernel, std::uint64_t code, std::uint64_t code_bytes,
                                        Sanitizer_StreamHandle stream);
  /// What is once for all shards of the kernel's own row.
  std::uint64_t function_row(std::uint32_t kernel) const {
    return memory_ + layout_.function_shared_begin + std::size_t{kernel} * layout_.function_shared_bytes;
  }
  /// Copies all that is used of it to the host. @return "" or half a line
  std::string read(Sanitizer_StreamHandle stream);
  /// As last read; empty: never.
  std::vector<std::byte> const& copy() const { return copy_; }

 private:
  detail::patch_state state_of(std::uint32_t kernel) const;

  sanitizer const* with_;
  arena_layout layout_;
  std::size_t used_bytes_ = 0;
  block_sample blocks_;
  std::deque<detail::patch_state> region_states_;  // are copied when the stream comes to it
  std::uint64_t memory_ = 0;
  std::vector<std::byte> copy_;
};

/// A row of a kernel's code that was executed.
struct code_row {
  std::uint64_t address = 0;               ///< of the instruction
  std::uint8_t kind = 0;                   ///< code_rows::kind()
  std::byte const* first_shard = nullptr;  ///< its count there
  std::size_t shard_stride = 0;            ///< from one shard's count to the next [bytes]
  std::uint32_t shards = 0;
};
/// Calls f(row) for each. @param copy of the arena's memory, whose begin it has
template <class Function>
void for_each_row(code_region const& region, std::vector<std::byte> const& copy, Function&& f) {
  detail::code_rows const& rows = region.rows;
  std::size_t const counts = region.begin + (rows.counts() - rows.address()),
                    kinds = region.begin + (rows.kinds() - rows.address()),
                    end = region.begin + detail::code_rows::bytes_for(rows.rows_log2(), rows.shards_log2());
  std::uint32_t const count = 1u << rows.rows_log2(), shards = 1u << rows.shards_log2();
  if (end > copy.size()) return;  // of a kernel that was not launched when the copy was made
  for (std::uint32_t row = 0; row < count; ++row) {
    std::uint8_t kind = 0;
    for (std::uint32_t shard = 0; shard < shards; ++shard)
      kind |= static_cast<std::uint8_t>(copy[kinds + (std::size_t{shard} << rows.rows_log2()) + row]);
    if (kind == 0) continue;
    f(code_row{rows.instruction(row, region.code), kind, copy.data() + counts + row * sizeof(std::uint64_t),
               sizeof(std::uint64_t) << rows.rows_log2(), shards});
  }
}

}  // namespace pasta::patch
#endif
