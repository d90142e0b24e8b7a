// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_HOST_COALESCE_HPP
#define PASTA_ANALYSIS_HOST_COALESCE_HPP

#include <pasta/analysis/coalesce.hpp>
#include <pasta/vendor/host.hpp>

namespace pasta {

PASTA_ALWAYS_INLINE request_shape coalesce(memory_access const& access, std::uint32_t sector_bytes) {
  // The engine already holds all lanes' addresses, so no exchange is needed; the first lane that comes computes for
  // all.
  simt::block_runner& block = simt::current_worker()->block;
  simt::block_runner::group_memo& memo = block.memo();
  std::uint64_t const key = std::uint64_t{access.size_bytes} << 32 | sector_bytes;
  if (memo.group != block.group_number() || memo.key != key) {
    request_shape const shape = shape_of_request(block.group_values(), access.lanes, access.size_bytes, sector_bytes);
    memo.group = block.group_number();
    memo.key = key;
    memo.words = {std::uint64_t{shape.sectors_needed} << 32 | shape.lanes, shape.sectors, shape.distinct_bytes,
                  shape.is_regular ? 1u : 0u, static_cast<std::uint64_t>(shape.stride_bytes)};
  }
  return {static_cast<std::uint32_t>(memo.words[0]),
          static_cast<std::uint32_t>(memo.words[1]),
          static_cast<std::uint32_t>(memo.words[0] >> 32),
          static_cast<std::uint32_t>(memo.words[2]),
          memo.words[3] != 0,
          static_cast<std::int64_t>(memo.words[4])};
}

}  // namespace pasta
#endif
