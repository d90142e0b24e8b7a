// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_GPU_REQUEST_SAMPLE_HPP
#define PASTA_ANALYSIS_GPU_REQUEST_SAMPLE_HPP

#include <pasta/analysis/gpu/coalesce.hpp>
#include <pasta/analysis/gpu/merge.hpp>
#include <pasta/analysis/request_sample.hpp>

namespace pasta {

namespace detail {

/// The way from a handler to its site's rare state, for functions that know neither the tools of the run nor their
/// layout. Both null where the site found no row.
struct site_locator {
  unsigned char* rare;  // the tool's rare_parts
  std::uint32_t* lock;
};

// What lies in memory for a kept request, as words.
struct kept_request {
  device_word key, is_set;
  device_word lanes, first_byte, offsets[request_sample::max_lanes];
};
static_assert(sizeof(kept_request) == sizeof(earliest<request_sample>));

// Keeps the request if its key is still the lowest. One lane holds the lock, all write.
PASTA_DEVICE PASTA_ALWAYS_INLINE void keep_request(kept_request* into, std::uint32_t& lock, std::uint64_t key,
                                                   lane_mask lanes, std::uint64_t address, std::uint32_t sector_bytes) {
  auto volatile* const kept = into;
  bool const is_holder = warp::is_leader(lanes);
  std::uint64_t const lowest = warp::reduce_min(lanes, address);
  PASTA_NO_UNROLL
  while (is_holder && simt::atomic_compare_exchange(lock, 0, 1) != 0) simt::pause();
  simt::fence();
  if (warp::any(lanes, is_holder && (kept->is_set == 0 || key < kept->key))) {
    if (is_holder) {
      kept->key = key;
      kept->is_set = 1;
      kept->lanes = lanes;
      kept->first_byte = divide(lowest, sector_bytes).rest;
      PASTA_NO_UNROLL
      for (std::uint32_t i = 0; i < request_sample::max_lanes; ++i) kept->offsets[i] = 0;
    }
    simt::fence();
    if (warp::any(lanes, true)) kept->offsets[warp::lane()] = address - lowest;  // when the zeros are there
  }
  simt::fence();
  if (warp::any(lanes, true) && is_holder) simt::atomic_exchange(lock, 0);  // when all have written
}

// Keeps the request if it is the site's worst so far. Most are not: an old value of the kept one's key tells.
PASTA_DEVICE PASTA_ALWAYS_INLINE void observe_site_request(kept_request* into, std::uint32_t& lock, std::uint32_t rank,
                                                           memory_access const& access, request_shape const& shape,
                                                           std::uint32_t sector_bytes) {
  lane_mask const lanes = access.lanes, rest = lanes & (lanes - 1);
  std::uint64_t const kept = into->is_set == 0 ? ~std::uint64_t{0} : into->key;
  std::uint64_t const first = warp::detail::read(access.address, warp::lowest(lanes));
  std::uint64_t const second = warp::detail::read(access.address, warp::lowest(rest != 0 ? rest : lanes));
  auto const growth = static_cast<std::uint32_t>(second - first);
  std::uint64_t const first_of_key = first_of_sample_key(rank, growth);
  if (!warp::any(lanes, first_of_key <= kept >> rest_of_sample_key_bits)) return;
  std::uint32_t const first_byte = divide(first, sector_bytes).rest;
  std::uint32_t fingerprint = 0;
  if (is_sample_run(lanes, shape)) {
    fingerprint = sample_fingerprint_of_run(lanes, first_byte, growth);
  } else {
    fingerprint =
        sample_fingerprint_of(first_byte) +
        warp::reduce_add(lanes, sample_fingerprint(warp::lane(), static_cast<std::uint32_t>(access.address - first)));
  }
  std::uint64_t const key = sample_key(first_of_key, fingerprint);
  if (warp::any(lanes, key < kept)) keep_request(into, lock, key, lanes, access.address, sector_bytes);
}

}  // namespace detail

template <class Tool, class State>
PASTA_DEVICE PASTA_ALWAYS_INLINE void observe_request(context<Tool>& at, worst_request State::*field,
                                                      std::uint32_t rank, memory_access const& access,
                                                      request_shape const& shape, std::uint32_t sector_bytes) {
  auto const* const way = static_cast<detail::site_locator const*>(at.locator());
  if (way == nullptr || way->rare == nullptr) return;
  auto* const parts = reinterpret_cast<detail::rare_parts<State>*>(way->rare);
  detail::for_each_part<State>([&]<std::size_t Index>() {
    if constexpr (std::is_same_v<detail::part_t<Index, State>, worst_request>) {
      if (&detail::part<Index>(at.site()) == &(at.site().*field)) {
        detail::observe_site_request(reinterpret_cast<detail::kept_request*>(&parts->template get<Index>()), *way->lock,
                                     rank, access, shape, sector_bytes);
      }
    }
  });
}

}  // namespace pasta
#endif
