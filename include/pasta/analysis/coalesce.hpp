// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_COALESCE_HPP
#define PASTA_ANALYSIS_COALESCE_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <pasta/analysis/request_shape.hpp>
#include <pasta/event.hpp>

namespace pasta {

/// The shape of a request given by its lanes' first bytes, each lane accessing `size_bytes`. Host only.
/// @param addresses [lane]; only lanes of the mask are read
/// @param lanes one bit each, at most 64
inline request_shape shape_of_request(std::uint64_t const* addresses, std::uint64_t lanes, std::uint32_t size_bytes,
                                      std::uint32_t sector_bytes) {
  std::array<std::uint64_t, 64> sorted;
  request_shape shape;
  bool is_rising = true;
  std::uint32_t last_lane = 0;
  for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(left));
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
  }
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
  shape.sectors_needed =
      static_cast<std::uint32_t>((std::uint64_t{shape.distinct_bytes} + sector_bytes - 1) / sector_bytes);
  return shape;
}

/// The shape of the request that an event belongs to. Called by the handler of that event, on all of its lanes; all
/// get the same.
/// @param access as the handler got it
/// @param sector_bytes 32 on NVIDIA GPUs since Maxwell; 64 or 128 for AMD's caches
PASTA_DEVICE PASTA_ALWAYS_INLINE request_shape coalesce(memory_access const& access, std::uint32_t sector_bytes);

}  // namespace pasta

#include PASTA_ANALYSIS_OF_VENDOR(coalesce)

#endif
