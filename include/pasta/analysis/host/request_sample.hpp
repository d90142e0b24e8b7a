// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_HOST_REQUEST_SAMPLE_HPP
#define PASTA_ANALYSIS_HOST_REQUEST_SAMPLE_HPP

#include <pasta/analysis/request_sample.hpp>
#include <pasta/vendor/host.hpp>

namespace pasta {

template <class Tool, class State>
void observe_request(context<Tool>& at, worst_request State::*field, std::uint32_t rank, memory_access const& access,
                     request_shape const& shape, std::uint32_t sector_bytes) {
  earliest<request_sample>& into = (at.site().*field).get();
  if (!warp::is_leader(access.lanes) || (!into.is_empty() && (into.key() >> 32) < rank)) return;
  // The engine holds all lanes' addresses.
  std::uint64_t const* const addresses = simt::current_worker()->block.group_values();
  std::uint64_t lowest = access.address;
  auto const first_byte = static_cast<std::uint32_t>(access.address % sector_bytes);
  std::uint32_t fingerprint = detail::sample_fingerprint_of(first_byte);
  lane_mask const rest = access.lanes & (access.lanes - 1);
  std::uint64_t const second = rest == 0 ? access.address : addresses[std::countr_zero(rest)];
  warp::detail::for_each_lane(access.lanes, [&](std::uint32_t lane) {
    lowest = std::min(lowest, addresses[lane]);
    fingerprint += detail::sample_fingerprint(lane, static_cast<std::uint32_t>(addresses[lane] - access.address));
  });
  request_sample sample{access.lanes, lowest % sector_bytes, {}};
  warp::detail::for_each_lane(access.lanes,
                              [&](std::uint32_t lane) { sample.offsets[lane] = addresses[lane] - lowest; });
  if (detail::is_sample_run(access.lanes, shape)) {
    fingerprint = detail::sample_fingerprint_of_run(access.lanes, first_byte,
                                                    static_cast<std::uint32_t>(second - access.address));
  }
  std::uint64_t const first_of_key =
      detail::first_of_sample_key(rank, static_cast<std::uint32_t>(second - access.address));
  into.observe(detail::sample_key(first_of_key, fingerprint), sample);
}

}  // namespace pasta
#endif
