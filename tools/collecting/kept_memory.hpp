// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The memory of a GPU that an instrumented module adds to, and its copies on the host.
#ifndef PASTA_TOOLS_COLLECTING_KEPT_MEMORY_HPP
#define PASTA_TOOLS_COLLECTING_KEPT_MEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <pasta/session/ptx/read_site_table.hpp>
#include <vector>

namespace pasta::collecting {

/// A set of memory: what is once for all shards, then the shards, each in whole lines of 128 bytes.
struct memory_layout {
  std::shared_ptr<ptx::read_table const> table;
  std::size_t shared_bytes = 0, shard_stride = 0;
  std::uint32_t shard_count = 0;  ///< a power of two

  std::size_t set_bytes() const { return shared_bytes + shard_stride * shard_count; }
  /// As the table asks for. @param most_shards a power of two; fewer are taken where a set would be larger than that
  void lay_out(std::uint32_t most_shards, std::size_t most_set_bytes);
};

/// A set as it was last read. Empty: never.
struct kept_copy {
  std::vector<std::byte> copy;
  std::uint32_t shard_count = 0;  ///< in the copy

  /// Of a module that only counts a sum is kept, of others the shards in which there is anything.
  void keep(memory_layout const& of, std::byte const* set);
};

}  // namespace pasta::collecting
#endif
