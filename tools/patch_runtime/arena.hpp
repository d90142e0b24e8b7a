// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PATCH_RUNTIME_ARENA_HPP
#define PASTA_TOOLS_PATCH_RUNTIME_ARENA_HPP

#include <cstddef>
#include <cstdint>
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
  // The states and the table of sites; what is once for all shards; the shards.
  std::size_t sites_begin = 0, site_shared_begin = 0, function_shared_begin = 0, shards_begin = 0, shard_stride = 0,
              bytes = 0;

 private:
  void place();
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
  /// Copies all of it to the host. @return "" or half a line
  std::string read(Sanitizer_StreamHandle stream);
  /// As last read; empty: never.
  std::vector<std::byte> const& copy() const { return copy_; }

 private:
  sanitizer const* with_;
  arena_layout layout_;
  std::uint64_t memory_ = 0;
  std::vector<std::byte> copy_;
};

}  // namespace pasta::patch
#endif
