// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "kept_memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pasta::collecting {

namespace {

constexpr std::size_t line_bytes = 128;  // shards share none, and none is shared with what lies before them
constexpr std::size_t in_lines(std::size_t bytes) { return (bytes + line_bytes - 1) / line_bytes * line_bytes; }

}  // namespace

void memory_layout::lay_out(std::uint32_t most_shards, std::size_t most_set_bytes) {
  shared_bytes = in_lines(table->shared_bytes);
  shard_stride = in_lines(std::max<std::size_t>(table->shard_bytes, 1));
  shard_count = most_shards;
  while (shard_count > 1 && set_bytes() > most_set_bytes) shard_count /= 2;
}

void kept_copy::keep(memory_layout const& of, std::byte const* set) {
  std::byte const* const shards = set + of.shared_bytes;
  std::vector<std::byte> kept(set, shards);
  std::uint32_t count = 0;
  if (of.table->rows.empty()) {
    std::vector<std::uint64_t> sums(of.shard_stride / sizeof(std::uint64_t));
    for (std::uint32_t shard = 0; shard < of.shard_count; ++shard) {
      for (std::size_t i = 0; i < sums.size(); ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, shards + shard * of.shard_stride + i * sizeof word, sizeof word);
        sums[i] += word;
      }
    }
    auto const* const bytes = reinterpret_cast<std::byte const*>(sums.data());
    kept.insert(kept.end(), bytes, bytes + of.shard_stride);
    count = 1;
  } else {
    for (std::uint32_t shard = 0; shard < of.shard_count; ++shard) {
      std::byte const* const begin = shards + shard * of.shard_stride;
      bool const is_empty =
          std::all_of(begin, begin + of.shard_stride, [](std::byte each) { return each == std::byte{0}; });
      if (is_empty && !(count == 0 && shard + 1 == of.shard_count)) continue;
      kept.insert(kept.end(), begin, begin + of.shard_stride);
      ++count;
    }
  }
  copy = std::move(kept);
  shard_count = count;
}

}  // namespace pasta::collecting
