// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Works out what kernels only counted: what warps did alike (patterns.hpp), and requests that are alike, each kind of
/// which is handled once, for as many as there were.
#ifndef PASTA_INSTRUMENT_CUDA_SETTLE_HPP
#define PASTA_INSTRUMENT_CUDA_SETTLE_HPP

#include <pasta/instrument/cuda/delivery.hpp>

namespace pasta::detail {

/// For one row, on a warp of its own.
template <class List>
struct settlement {
  using region = region_of<List>;
  typename region::setup const& given;
  std::uint32_t row;

  // What the patterns say, each lane some of them.
  PASTA_DEVICE void settle_patterns() const {
    auto const& view = given.where;
    pattern_table const& table = view.first->patterns;
#pragma unroll 1
    for (std::uint32_t number = warp::lane(); number < pattern_count; number += 32) {
      pattern_site const site = table.sites[number][row];
      if (site.executions == 0 && site.requests == 0) continue;
      device_word lanes = 0;
#pragma unroll 1
      for (std::uint32_t shard = 0; shard <= view.shard_mask; ++shard) {
        lanes += view.shards[shard].pattern_lanes[number];
      }
      delivery<List>::count_executions(view, view.shards[0], row < row_count ? row : no_row, site.executions * lanes);
      if constexpr (region::has_alike_requests) {
        delivery<List>::count_requests(view, view.requests[0], row, site.requests,
                                       request_word::count(site.requests) * (lanes / warp::width()));
      }
    }
  }

  PASTA_DEVICE void settle_requests() const {
    auto const& view = given.where;
    std::uint64_t const packed = view.first->entries[row].packed;
    std::uint32_t const size = site_key{nullptr, packed}.size_of_access();
#pragma unroll 1
    for (std::uint32_t first_byte = 0; first_byte < alike_period; ++first_byte) {
      deliver(packed, warp::full, first_byte, static_cast<std::int32_t>(warp::lane() * size),
              [&](auto& counted) -> device_word& { return counted.in_order[first_byte][row]; });
    }
    layout_table const& table = view.first->layouts;
#pragma unroll 1
    for (std::uint32_t number = 0; number < layout_count; ++number) {
      if (table.hashes[number] == 0 || table.layouts[number].row != row) continue;
      request_layout const& layout = table.layouts[number];
      deliver(packed, layout.lanes, layout.first_byte, layout.offsets[warp::lane()],
              [&](auto& counted) -> device_word& { return counted.others[number]; });
    }
  }

 private:
  // Takes the counts and leaves zeros.
  template <class CountOf>
  PASTA_DEVICE void deliver(std::uint64_t packed, lane_mask lanes, std::uint32_t first_byte, std::int32_t offset,
                            CountOf&& count_of) const {
    constexpr std::uint64_t anywhere = std::uint64_t{1} << 40;
    device_word times = 0;
#if !PASTA_IS_HOST_PASS
#pragma unroll 1
    for (std::uint32_t shard = warp::lane(); shard <= given.where.shard_mask; shard += 32) {
      device_word& counted = count_of(given.where.requests[shard]);
      if (counted != 0) times += atomicExch(&counted, device_word{0});
    }
#endif
    times = warp::reduce_add(warp::full, times);
    if (times == 0) return;
    if (warp::detail::is_among(lanes)) {
      delivery<List>::deliver_request(given, row, packed, lanes,
                                      anywhere + first_byte + static_cast<std::uint64_t>(std::int64_t{offset}), times);
    }
    warp::detail::sync(warp::full);
  }
};

/// One block of one warp for each row, and one for what found none. After the kernels and before the region is read;
/// then what was counted is set back: pattern_lanes by the reader, the rest here.
template <class List>
__global__ void __launch_bounds__(32) settle(__grid_constant__ typename region_of<List>::setup const given) {
  settlement<List> const mine{given, blockIdx.x};
  if constexpr (region_of<List>::has_patterns) mine.settle_patterns();
  if constexpr (region_of<List>::has_alike_requests) {
    if (mine.row == row_count) return;
    __threadfence();
    __syncwarp();
    mine.settle_requests();
  }
}

}  // namespace pasta::detail
#endif
