// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_COALESCE_HPP
#define PASTA_ANALYSIS_COALESCE_HPP

#include <algorithm>
#include <array>
#include <pasta/event.hpp>
#include <pasta/vendor/host.hpp>

namespace pasta {

/// What a memory request (one access by the lanes of a warp together) asks of memory.
struct request_shape {
  std::uint32_t lanes = 0;           ///< active
  std::uint32_t sectors = 0;         ///< distinct sectors touched: what the hardware moves
  std::uint32_t distinct_bytes = 0;  ///< bytes touched at least once
  bool is_regular = false;        ///< two lanes or more, and the address grows by the same from each lane to the next
  std::int64_t stride_bytes = 0;  ///< that growth per lane number; 0 is a broadcast
};

/// The shape of a request given by its lanes' first bytes, each lane accessing `size_bytes`.
/// @param addresses [lane]; only lanes of the mask are read
inline request_shape shape_of_request(std::uint64_t const* addresses, lane_mask lanes, std::uint32_t size_bytes,
                                      std::uint32_t sector_bytes) {
  std::array<std::uint64_t, simt::max_warp_width> sorted;
  request_shape shape;
  bool is_rising = true;
  std::uint32_t last_lane = 0;
  warp::detail::for_each_lane(lanes, [&](std::uint32_t lane) {
    std::uint64_t const address = addresses[lane];
    if (shape.lanes > 0) {
      std::uint64_t const before = sorted[shape.lanes - 1];
      is_rising = is_rising && before <= address;
      auto const growth = static_cast<std::int64_t>(address - before);
      auto const distance = static_cast<std::int64_t>(lane - last_lane);
      if (shape.lanes == 1) {
        shape.is_regular = growth % distance == 0;
        shape.stride_bytes = growth / distance;
      }
      shape.is_regular = shape.is_regular && growth == shape.stride_bytes * distance;
    }
    sorted[shape.lanes++] = address;
    last_lane = lane;
  });
  if (!shape.is_regular) shape.stride_bytes = 0;
  if (!is_rising) std::sort(sorted.begin(), sorted.begin() + shape.lanes);

  // Sweep upwards; a sector or byte counts when it lies beyond all before.
  std::uint64_t next_sector = 0, next_byte = 0;
  for (std::uint32_t i = 0; i < shape.lanes; ++i) {
    std::uint64_t const end = sorted[i] + size_bytes;
    std::uint64_t const first_sector = std::max(sorted[i] / sector_bytes, next_sector);
    std::uint64_t const end_sector = (end + sector_bytes - 1) / sector_bytes;
    if (end_sector > first_sector) {
      shape.sectors += static_cast<std::uint32_t>(end_sector - first_sector);
      next_sector = end_sector;
    }
    std::uint64_t const first_byte = std::max(sorted[i], next_byte);
    if (end > first_byte) {
      shape.distinct_bytes += static_cast<std::uint32_t>(end - first_byte);
      next_byte = end;
    }
  }
  return shape;
}

/// The shape of the request that an event belongs to. Called by the handler of that event, on all of its lanes; all
/// get the same.
/// @param access the event as it was delivered
/// @param sector_bytes 32 on NVIDIA GPUs since Maxwell; 64 or 128 for AMD's caches
inline request_shape coalesce(memory_access const& access, std::uint32_t sector_bytes) {
  // The engine already holds all lanes' addresses, so no exchange is needed; the first lane that comes computes for
  // all.
  simt::block_runner& block = simt::current_worker()->block;
  simt::block_runner::group_memo& memo = block.memo();
  std::uint64_t const key = std::uint64_t{access.size_bytes} << 32 | sector_bytes;
  if (memo.group != block.group_number() || memo.key != key) {
    request_shape const shape = shape_of_request(block.group_values(), access.lanes, access.size_bytes, sector_bytes);
    memo.group = block.group_number();
    memo.key = key;
    memo.words = {shape.lanes, shape.sectors, shape.distinct_bytes, shape.is_regular ? 1u : 0u,
                  static_cast<std::uint64_t>(shape.stride_bytes)};
  }
  return {static_cast<std::uint32_t>(memo.words[0]), static_cast<std::uint32_t>(memo.words[1]),
          static_cast<std::uint32_t>(memo.words[2]), memo.words[3] != 0, static_cast<std::int64_t>(memo.words[4])};
}

}  // namespace pasta
#endif
