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

// What times `by` is the value, as signed numbers; where there is none, something else. A GPU has no instruction that
// divides, and would call a function.
PASTA_DEVICE PASTA_ALWAYS_INLINE std::int64_t divide_exactly(std::uint64_t value, std::uint32_t by) {
  std::uint32_t const shift = warp::lowest(by);
  std::uint64_t const odd = by >> shift;
  auto low = static_cast<std::uint32_t>(odd * 3 ^ 2);  // the inverse in the lowest 5 bits; each step doubles them
  for (int step = 0; step < 3; ++step) low *= 2 - static_cast<std::uint32_t>(odd) * low;
  std::uint64_t const inverse = low * (2 - odd * low);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> shift) * inverse);
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

// The shape of any request, as few are. Not inlined: the usual ones should not pay for it.
PASTA_DEVICE PASTA_NEVER_INLINE inline request_shape shape_of_odd_request(lane_mask lanes, std::uint64_t address,
                                                                          std::uint32_t size_bytes,
                                                                          std::uint32_t sector_bytes) {
  request_shape shape;
  shape.lanes = warp::count(lanes);
  // A sector or byte counts for the first lane, by address, that touches it.
  bool is_first = false;
  std::uint64_t const before = address_before(lanes, address, is_first);
  std::uint64_t first_sector = divide(address, sector_bytes);
  std::uint64_t const end = divide(address + (size_bytes - 1), sector_bytes) + 1;
  std::uint64_t new_bytes = size_bytes;
  if (!is_first) {
    std::uint64_t const end_before = divide(before + (size_bytes - 1), sector_bytes) + 1;
    if (first_sector < end_before) first_sector = end_before;
    if (address - before < new_bytes) new_bytes = address - before;
  }
  shape.sectors = warp::reduce_add(lanes, end > first_sector ? static_cast<std::uint32_t>(end - first_sector) : 0u);
  shape.distinct_bytes = warp::reduce_add(lanes, static_cast<std::uint32_t>(new_bytes));
  shape.sectors_needed = (shape.distinct_bytes + sector_bytes - 1) / sector_bytes;

  lane_mask const rest = lanes & (lanes - 1);
  if (rest != 0) {
    std::uint32_t const first_lane = warp::lowest(lanes), second_lane = warp::lowest(rest);
    std::uint64_t const first = warp::shuffle(lanes, address, first_lane);
    std::uint64_t const growth = warp::shuffle(lanes, address, second_lane) - first;
    std::int64_t const stride = divide_exactly(growth, second_lane - first_lane);
    auto const steps = static_cast<std::uint64_t>(warp::lane() - first_lane);
    shape.is_regular = warp::all(lanes, address == first + steps * static_cast<std::uint64_t>(stride));
    shape.stride_bytes = shape.is_regular ? stride : 0;
  }
  return shape;
}

// Usual: sectors of a power of two; lanes within 1 GiB, whose elements are the same or apart and lie in one sector
// each; the second lane of the request next to the first, so that its stride needs no division.
PASTA_DEVICE PASTA_ALWAYS_INLINE request_shape shape_of_any_request(lane_mask lanes, std::uint64_t address,
                                                                    std::uint32_t size_bytes,
                                                                    std::uint32_t sector_bytes, request_trial* trial) {
  constexpr std::uint32_t near = 1u << 30;
  std::uint32_t const lane = warp::lane(), first_lane = warp::lowest(lanes);
  std::uint64_t const first = warp::shuffle(lanes, address, first_lane);
  auto const first_low = static_cast<std::uint32_t>(first);
  // From a sector's begin, an even number of sectors below the first lane.
  std::uint32_t const offset = static_cast<std::uint32_t>(address) - (first_low & ~(sector_bytes - 1)) + near;
  bool const is_usual = (sector_bytes & (sector_bytes - 1)) == 0 && (size_bytes & (size_bytes - 1)) == 0 &&
                        size_bytes <= sector_bytes && (lanes >> first_lane & 2) != 0 &&
                        warp::all(lanes, (address - first + near < 2 * near) & ((offset & (size_bytes - 1)) == 0));
  if (!is_usual) {
    if (trial == nullptr) return shape_of_odd_request(lanes, address, size_bytes, sector_bytes);
    trial->is_refused = true;
    return {warp::count(lanes), 1, 1, size_bytes, false, 0};  // what the handler makes of it is thrown away
  }

  request_shape shape;
  shape.lanes = warp::count(lanes);
  auto const shift = static_cast<std::uint32_t>(31 - __builtin_clz(sector_bytes));
  std::uint32_t const sector = offset >> shift;
  lane_mask const new_sectors = warp::ballot(lanes, warp::lowest(warp::detail::match(lanes, sector)) == lane);
  lane_mask new_elements = lanes;
  if (new_sectors != lanes) {
    new_elements = warp::ballot(lanes, warp::lowest(warp::detail::match(lanes, offset)) == lane);
  }
  shape.sectors = warp::count(new_sectors);
  shape.distinct_bytes = warp::count(new_elements) * size_bytes;
  shape.sectors_needed = (shape.distinct_bytes + sector_bytes - 1) >> shift;
  // Within 1 GiB a stride of 32 bits is exact, but products of it need not be.
  auto const distance = static_cast<std::int32_t>(static_cast<std::uint32_t>(address) - first_low);
  auto const stride =
      static_cast<std::int32_t>(warp::detail::shuffle(lanes, static_cast<std::uint32_t>(distance), first_lane + 1));
  shape.is_regular =
      warp::all(lanes, std::int64_t{distance} == std::int64_t{static_cast<std::int32_t>(lane - first_lane)} * stride);
  shape.stride_bytes = shape.is_regular ? stride : 0;
  return shape;
}

// The same for a hook, in which few instructions count most: lanes element after element, then addresses that do not
// fall from lane to lane, then others near each other.
PASTA_DEVICE PASTA_ALWAYS_INLINE request_shape shape_in_hook(lane_mask lanes, std::uint64_t address,
                                                             std::uint32_t size_bytes, std::uint32_t sector_bytes) {
  constexpr std::uint32_t near = 1u << 30;
  std::uint32_t const lane = warp::lane(), first_lane = warp::lowest(lanes), steps = lane - first_lane;
  auto const low = static_cast<std::uint32_t>(address);
  std::uint32_t const first_low = warp::detail::shuffle(lanes, low, first_lane);
  std::uint64_t const first =
      std::uint64_t{warp::detail::shuffle(lanes, static_cast<std::uint32_t>(address >> 32), first_lane)} << 32 |
      first_low;
  std::uint64_t const distance = address - first;
  lane_mask const run = lanes >> first_lane;
  request_shape shape;
  shape.lanes = warp::count(lanes);
  if (warp::all(lanes, (distance == steps * size_bytes) & ((run & (run + 1)) == 0))) {
    shape.distinct_bytes = shape.lanes * size_bytes;
    shape.sectors_needed = static_cast<std::uint32_t>(divide(shape.distinct_bytes + (sector_bytes - 1), sector_bytes));
    shape.sectors = static_cast<std::uint32_t>(
        divide(rest_of(first, sector_bytes) + shape.distinct_bytes + (sector_bytes - 1), sector_bytes));
    shape.is_regular = shape.lanes > 1;
    shape.stride_bytes = shape.is_regular ? size_bytes : 0;
    return shape;
  }

  std::uint32_t const offset = low - (first_low & ~(sector_bytes - 1)) + near;
  bool const is_usual = (sector_bytes & (sector_bytes - 1)) == 0 && (size_bytes & (size_bytes - 1)) == 0 &&
                        size_bytes <= sector_bytes && (run & 2) != 0 &&
                        warp::all(lanes, (distance + near < 2 * near) & ((offset & (size_bytes - 1)) == 0));
  if (!is_usual) return shape_of_odd_request(lanes, address, size_bytes, sector_bytes);

  auto const shift = static_cast<std::uint32_t>(31 - __builtin_clz(sector_bytes));
  lane_mask const lower = lanes & ((1u << lane) - 1);
  std::uint32_t const before = warp::detail::shuffle(lanes, offset, lower == 0 ? lane : 31 - __builtin_clz(lower));
  lane_mask new_sectors = 0, new_elements = 0;
  if (warp::all(lanes, before <= offset)) {
    new_sectors = warp::ballot(lanes, lower == 0 || before >> shift != offset >> shift);
    new_elements = warp::ballot(lanes, lower == 0 || before != offset);
  } else {
    new_sectors = warp::ballot(lanes, warp::lowest(warp::detail::match(lanes, offset >> shift)) == lane);
    new_elements = lanes;
    if (new_sectors != lanes) {
      new_elements = warp::ballot(lanes, warp::lowest(warp::detail::match(lanes, offset)) == lane);
    }
  }
  shape.sectors = warp::count(new_sectors);
  shape.distinct_bytes = warp::count(new_elements) * size_bytes;
  shape.sectors_needed = (shape.distinct_bytes + sector_bytes - 1) >> shift;
  auto const stride =
      static_cast<std::int32_t>(warp::detail::shuffle(lanes, static_cast<std::uint32_t>(distance), first_lane + 1));
  shape.is_regular =
      warp::all(lanes, static_cast<std::int64_t>(distance) == std::int64_t{static_cast<std::int32_t>(steps)} * stride);
  shape.stride_bytes = shape.is_regular ? stride : 0;
  return shape;
}

}  // namespace detail

PASTA_DEVICE PASTA_ALWAYS_INLINE request_shape coalesce(memory_access const& access, std::uint32_t sector_bytes) {
#if PASTA_DETAIL_IS_HOOK
  return detail::shape_in_hook(access.lanes, access.address, access.size_bytes, sector_bytes);
#endif
  return detail::shape_of_any_request(access.lanes, access.address, access.size_bytes, sector_bytes, access.trial);
}

}  // namespace pasta
#endif
