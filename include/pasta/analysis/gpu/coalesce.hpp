// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The shape of a request, for vendors whose lanes go in step. Uses the vendor's neutral warp header alone.
#ifndef PASTA_ANALYSIS_GPU_COALESCE_HPP
#define PASTA_ANALYSIS_GPU_COALESCE_HPP

#include <pasta/analysis/coalesce.hpp>
#include <pasta/vendor/current.hpp>

namespace pasta {

namespace detail {

/// A quotient and what is left.
struct division {
  std::uint64_t quotient = 0;
  std::uint32_t rest = 0;
};
// A GPU has no instruction that divides, and what stands for one is long: for other numbers than powers of two, which
// are rare, bit by bit.
PASTA_DEVICE PASTA_ALWAYS_INLINE division divide(std::uint64_t value, std::uint32_t by) {
  if ((by & (by - 1)) == 0) return {value >> (31 - __builtin_clz(by)), static_cast<std::uint32_t>(value) & (by - 1)};
  division done;
  std::uint64_t rest = 0;
  PASTA_NO_UNROLL
  for (std::uint32_t bit = 64; bit-- > 0;) {
    rest = rest << 1 | (value >> bit & 1);
    bool const fits = rest >= by;
    rest -= fits ? by : 0;
    done.quotient = done.quotient << 1 | (fits ? 1 : 0);
  }
  done.rest = static_cast<std::uint32_t>(rest);
  return done;
}

// What times `by` is the value, as signed numbers; where there is none, something else.
PASTA_DEVICE PASTA_ALWAYS_INLINE std::int64_t divide_exactly(std::uint64_t value, std::uint32_t by) {
  auto const shift = static_cast<std::uint32_t>(__builtin_ctz(by));
  std::uint64_t const odd = by >> shift;
  std::uint64_t inverse = odd * 3 ^ 2;  // in the lowest 5 bits; each step doubles them
  for (int step = 0; step < 4; ++step) inverse *= 2 - odd * inverse;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> shift) * inverse);
}

/// The lane that comes before the caller, by address and then by number: its address.
struct lane_before {
  bool is_there = false;
  std::uint64_t address = 0;
};
PASTA_DEVICE PASTA_ALWAYS_INLINE lane_before find_lane_before(lane_mask lanes, std::uint64_t address) {
  std::uint32_t const lane = warp::lane();
  lane_mask const lower = lanes & ((lane_mask{1} << lane) - 1);
  lane_before before{lower != 0, warp::shuffle(lanes, address, lower != 0 ? warp::highest(lower) : lane)};
  if (warp::all(lanes, before.address <= address)) return before;  // most often addresses grow from lane to lane
  before.is_there = false;
  PASTA_NO_UNROLL
  for (lane_mask left = lanes; left != 0; left &= left - 1) {
    std::uint32_t const other_lane = warp::lowest(left);
    std::uint64_t const other = warp::detail::read(address, other_lane);
    if (other < address || (other == address && other_lane < lane)) {
      if (!before.is_there || other > before.address) before.address = other;
      before.is_there = true;
    }
  }
  return before;
}

}  // namespace detail

PASTA_DEVICE PASTA_ALWAYS_INLINE request_shape coalesce(memory_access const& access, std::uint32_t sector_bytes) {
  lane_mask const lanes = access.lanes;
  std::uint64_t const address = access.address;
  std::uint32_t const size_bytes = access.size_bytes;
  request_shape shape;
  shape.lanes = warp::count(lanes);
  // A sector or byte counts for the first lane, by address, that touches it.
  detail::lane_before const before = detail::find_lane_before(lanes, address);
  std::uint64_t first_sector = detail::divide(address, sector_bytes).quotient, new_bytes = size_bytes;
  std::uint64_t const end = detail::divide(address + (size_bytes - 1), sector_bytes).quotient + 1;
  if (before.is_there) {
    std::uint64_t const end_before = detail::divide(before.address + (size_bytes - 1), sector_bytes).quotient + 1;
    first_sector = first_sector < end_before ? end_before : first_sector;
    new_bytes = address - before.address < new_bytes ? address - before.address : new_bytes;
  }
  shape.sectors = warp::reduce_add(lanes, end > first_sector ? static_cast<std::uint32_t>(end - first_sector) : 0u);
  shape.distinct_bytes = warp::reduce_add(lanes, static_cast<std::uint32_t>(new_bytes));
  shape.sectors_needed = static_cast<std::uint32_t>(
      detail::divide(std::uint64_t{shape.distinct_bytes} + (sector_bytes - 1), sector_bytes).quotient);

  if (lane_mask const rest = lanes & (lanes - 1); rest != 0) {
    std::uint32_t const first_lane = warp::lowest(lanes), second_lane = warp::lowest(rest);
    std::uint64_t const first = warp::detail::read(address, first_lane);
    std::uint64_t const growth = warp::detail::read(address, second_lane) - first;
    std::int64_t const stride = detail::divide_exactly(growth, second_lane - first_lane);
    auto const steps = static_cast<std::uint64_t>(warp::lane() - first_lane);
    shape.is_regular = warp::all(lanes, address == first + steps * static_cast<std::uint64_t>(stride));
    shape.stride_bytes = shape.is_regular ? stride : 0;
  }
  return shape;
}

}  // namespace pasta
#endif
