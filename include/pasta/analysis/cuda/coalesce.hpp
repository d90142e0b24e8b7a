// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_CUDA_COALESCE_HPP
#define PASTA_ANALYSIS_CUDA_COALESCE_HPP

#include <pasta/analysis/coalesce.hpp>
#include <pasta/vendor/cuda.hpp>

namespace pasta {

namespace detail {

PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint64_t divide(std::uint64_t value, std::uint32_t by) {
  return (by & (by - 1)) == 0 ? value >> (31 - __builtin_clz(by)) : value / by;
}

PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t rest_of(std::uint64_t value, std::uint32_t by) {
  return (by & (by - 1)) == 0 ? static_cast<std::uint32_t>(value) & (by - 1) : static_cast<std::uint32_t>(value % by);
}

// The largest address of the lanes that come before the caller's, by address and then by lane; the caller's own if none
// does. Looks at each lane in turn.
PASTA_DEVICE inline std::uint64_t address_before(lane_mask lanes, std::uint64_t address, bool& is_first) {
  std::uint32_t const lane = warp::lane();
  std::uint64_t before = address;
  is_first = true;
#pragma unroll 1
  for (lane_mask left = lanes; left != 0; left &= left - 1) {
    std::uint32_t const other_lane = warp::lowest(left);
    std::uint64_t const other = warp::shuffle(lanes, address, other_lane);
    if (other < address || (other == address && other_lane < lane)) {
      if (is_first || other > before) before = other;
      is_first = false;
    }
  }
  return before;
}

// Any request. Not inlined: the usual request does not come here.
PASTA_DEVICE PASTA_NEVER_INLINE inline request_shape shape_of_any_request(lane_mask lanes, std::uint64_t address,
                                                                          std::uint32_t size_bytes,
                                                                          std::uint32_t sector_bytes) {
  std::uint32_t const lane = warp::lane(), first_lane = warp::lowest(lanes);
  request_shape shape;
  shape.lanes = warp::count(lanes);
  if (shape.lanes > 1) {
    std::uint32_t const second_lane = warp::lowest(lanes & (lanes - 1));
    std::uint64_t const first = warp::shuffle(lanes, address, first_lane);
    auto const growth = static_cast<std::int64_t>(warp::shuffle(lanes, address, second_lane) - first);
    auto const distance = static_cast<std::int64_t>(second_lane - first_lane);
    shape.stride_bytes = distance == 1 ? growth : growth / distance;
    auto const steps = static_cast<std::uint64_t>(lane - first_lane);
    shape.is_regular = warp::all(lanes, address == first + steps * static_cast<std::uint64_t>(shape.stride_bytes));
    if (!shape.is_regular) shape.stride_bytes = 0;
  }

  lane_mask const below = lanes & ((lane_mask{1} << lane) - 1);
  bool is_first = below == 0;
  std::uint64_t before =
      warp::shuffle(lanes, address, is_first ? lane : 31 - static_cast<std::uint32_t>(__builtin_clz(below)));
  if (!warp::all(lanes, before <= address)) {
    bool const is_simple = (size_bytes & (size_bytes - 1)) == 0 && size_bytes <= sector_bytes &&
                           sector_bytes % size_bytes == 0 && warp::all(lanes, address % size_bytes == 0);
    if (is_simple) {  // two lanes' bytes are the same or apart, and lie in one sector
      bool const is_new_sector = warp::lowest(warp::detail::match(lanes, divide(address, sector_bytes))) == lane;
      bool const is_new = warp::lowest(warp::detail::match(lanes, address)) == lane;
      shape.sectors = warp::count(warp::ballot(lanes, is_new_sector));
      shape.distinct_bytes = warp::count(warp::ballot(lanes, is_new)) * size_bytes;
      shape.sectors_needed =
          static_cast<std::uint32_t>(divide(std::uint64_t{shape.distinct_bytes} + sector_bytes - 1, sector_bytes));
      return shape;
    }
    before = address_before(lanes, address, is_first);
  }
  // A sector or byte counts for the first lane, by address, that touches it.
  std::uint64_t first_sector = divide(address, sector_bytes);
  std::uint64_t const end_sector = divide(address + size_bytes + sector_bytes - 1, sector_bytes);
  std::uint64_t new_bytes = size_bytes;
  if (!is_first) {
    std::uint64_t const end_before = divide(before + size_bytes + sector_bytes - 1, sector_bytes);
    if (first_sector < end_before) first_sector = end_before;
    if (address - before < new_bytes) new_bytes = address - before;
  }
  shape.sectors =
      warp::reduce_add(lanes, end_sector > first_sector ? static_cast<std::uint32_t>(end_sector - first_sector) : 0u);
  shape.distinct_bytes = warp::reduce_add(lanes, static_cast<std::uint32_t>(new_bytes));
  shape.sectors_needed =
      static_cast<std::uint32_t>(divide(std::uint64_t{shape.distinct_bytes} + sector_bytes - 1, sector_bytes));
  return shape;
}

}  // namespace detail

PASTA_DEVICE PASTA_ALWAYS_INLINE request_shape coalesce(memory_access const& access, std::uint32_t sector_bytes) {
  constexpr std::uint32_t usual_sector_bytes = 32;
  std::uint32_t const size = access.size_bytes;
  // A whole warp, element after element: what it asks for follows from any lane's address.
  if (access.is_in_order && sector_bytes == usual_sector_bytes) {
    std::uint64_t const first = access.address - std::uint64_t{detail::lane_of(access) * size};
    bool const is_aligned = (static_cast<std::uint32_t>(first) & (usual_sector_bytes - 1)) == 0;
    return {32, size + (is_aligned ? 0u : 1u), size, 32 * size, true, std::int64_t{size}};
  }
  return detail::shape_of_any_request(access.lanes, access.address, size, sector_bytes);
}

}  // namespace pasta
#endif
