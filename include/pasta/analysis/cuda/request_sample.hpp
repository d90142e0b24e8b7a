// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_CUDA_REQUEST_SAMPLE_HPP
#define PASTA_ANALYSIS_CUDA_REQUEST_SAMPLE_HPP

#include <pasta/analysis/cuda/shared_merge.hpp>
#include <pasta/analysis/cuda/site_locator.hpp>
#include <pasta/analysis/request_sample.hpp>

namespace pasta {

namespace detail {

// What lies in memory for a kept request, as words.
struct kept_request {
  device_word key, is_set;
  device_word lanes, first_byte, offsets[request_sample::max_lanes];
};
static_assert(sizeof(kept_request) == sizeof(earliest<request_sample>));

// Keeps the request if its key is still the lowest. One lane holds the lock, all write; few registers, since those of
// the kernel are at least as many as those of any function that it calls.
PASTA_DEVICE PASTA_NEVER_INLINE inline void keep_request(kept_request* into, unsigned* lock, std::uint64_t key,
                                                         lane_mask lanes, std::uint64_t address,
                                                         std::uint32_t sector_bytes) {
#if PASTA_IS_HOST_PASS
  static_cast<void>(into), static_cast<void>(lock), static_cast<void>(key), static_cast<void>(lanes);
  static_cast<void>(address), static_cast<void>(sector_bytes);
#else
  auto volatile* const kept = into;
  bool const is_holder = warp::is_leader(lanes);
  std::uint64_t const lowest = warp::reduce_min(lanes, address);
  with_lock_of_one(lanes, is_holder, lock, [&] {
    if (!warp::any(lanes, is_holder && (kept->is_set == 0 || key < kept->key))) return;
    kept->offsets[warp::lane()] = address - lowest;
    if (is_holder) {
      kept->key = key;
      kept->is_set = 1;
      kept->lanes = lanes;
      kept->first_byte = rest_of(lowest, sector_bytes);
#pragma unroll 1
      for (lane_mask idle = ~lanes; idle != 0; idle &= idle - 1) kept->offsets[warp::lowest(idle)] = 0;
    }
  });
#endif
}

// What tells requests of equal rank apart, of one that has no stride.
PASTA_DEVICE PASTA_NEVER_INLINE inline std::uint32_t fingerprint_of_request(lane_mask lanes, std::uint64_t address,
                                                                            std::uint32_t sector_bytes) {
  std::uint64_t const first = warp::shuffle(lanes, address, warp::lowest(lanes));
  return sample_fingerprint_of(rest_of(first, sector_bytes)) +
         warp::reduce_add(lanes, sample_fingerprint(warp::lane(), static_cast<std::uint32_t>(address - first)));
}

// Keeps the request if it is the site's worst so far. Most are not: an old value of the kept one's key tells.
PASTA_DEVICE PASTA_ALWAYS_INLINE void observe_site_request(kept_request* into, unsigned* lock, std::uint32_t rank,
                                                           memory_access const& access, request_shape const& shape,
                                                           std::uint32_t sector_bytes) {
  lane_mask const lanes = access.lanes, rest = lanes & (lanes - 1);
  std::uint64_t const kept = into->is_set == 0 ? ~std::uint64_t{0} : into->key;
  std::uint64_t key = 0;
  if (is_sample_run(lanes, shape)) {
    std::uint64_t const steps = warp::lane() - warp::lowest(lanes);
    std::uint64_t const first = access.address - steps * static_cast<std::uint64_t>(shape.stride_bytes);
    auto const stride = static_cast<std::uint32_t>(shape.stride_bytes);
    key = sample_key(first_of_sample_key(rank, stride),
                     sample_fingerprint_of_run(lanes, rest_of(first, sector_bytes), stride));
  } else {
    auto const low = static_cast<std::uint32_t>(access.address);
    std::uint32_t const second = rest == 0 ? low : warp::detail::shuffle(lanes, low, warp::lowest(rest));
    std::uint64_t const first_of_key =
        first_of_sample_key(rank, second - warp::detail::shuffle(lanes, low, warp::lowest(lanes)));
    if (!warp::any(lanes, first_of_key <= kept >> rest_of_sample_key_bits)) return;
    if (access.trial != nullptr) {
      access.trial->is_refused = true;
      return;
    }
    key = sample_key(first_of_key, fingerprint_of_request(lanes, access.address, sector_bytes));
  }
  if (!warp::any(lanes, key < kept)) return;
  if (access.trial == nullptr) {
    keep_request(into, lock, key, lanes, access.address, sector_bytes);
  } else {
    access.trial->is_refused = true;
  }
}

}  // namespace detail

template <class Tool, class State>
PASTA_DEVICE void observe_request(context<Tool>& at, worst_request State::*field, std::uint32_t rank,
                                  memory_access const& access, request_shape const& shape, std::uint32_t sector_bytes) {
  if (at.locator() == nullptr) return;
  auto const* const way = static_cast<detail::site_locator const*>(at.locator());
  auto const* const parts = reinterpret_cast<detail::rare_parts<State> const*>(way->rare);
  std::uint32_t offset = 0;
  detail::for_each_part<State>([&]<std::size_t Index>() {
    if constexpr (std::is_same_v<detail::part_t<Index, State>, worst_request>) {
      if (&detail::part<Index>(at.site()) == &(at.site().*field)) {
        offset = static_cast<std::uint32_t>(reinterpret_cast<unsigned char const*>(&parts->template get<Index>()) -
                                            way->rare);
      }
    }
  });
  std::uint32_t const row = way->row();
  if (row == detail::no_row) return;
  std::size_t const row_offset = std::size_t{row} * way->rare_row_bytes;
  detail::observe_site_request(reinterpret_cast<detail::kept_request*>(way->rare + row_offset + offset),
                               reinterpret_cast<unsigned*>(way->rare_lock + row_offset), rank, access, shape,
                               sector_bytes);
}

}  // namespace pasta
#endif
