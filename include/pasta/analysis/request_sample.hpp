// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_REQUEST_SAMPLE_HPP
#define PASTA_ANALYSIS_REQUEST_SAMPLE_HPP

#include <pasta/analysis/coalesce.hpp>
#include <pasta/analysis/earliest.hpp>

namespace pasta {

/// One request, kept so that it can be looked at later. Positions, not addresses: two runs keep the same.
struct request_sample {
  static constexpr std::uint32_t max_lanes = 64;
  std::uint64_t lanes;               ///< which took part, one bit each
  std::uint64_t first_byte;          ///< where the lowest byte lies in its sector [bytes]
  std::uint64_t offsets[max_lanes];  ///< [lane]: from the lowest byte to the lane's first [bytes]; 0 for other lanes
};

/// Keeps the request of an event as a sample if its key is lower than that of the one kept so far (equal keys: see
/// pasta::earliest). Called by the handler of that event, on all of its lanes; one of them writes.
/// @param sector_bytes what `first_byte` is relative to
inline void observe_request(earliest<request_sample>& into, std::uint64_t key, memory_access const& access,
                            std::uint32_t sector_bytes) {
  if (!warp::is_leader(access.lanes) || (!into.is_empty() && into.key() < key)) return;
  std::uint64_t const* const addresses = simt::current_worker()->block.group_values();
  std::uint64_t lowest = access.address;
  warp::detail::for_each_lane(access.lanes, [&](std::uint32_t lane) { lowest = std::min(lowest, addresses[lane]); });
  request_sample sample{access.lanes, lowest % sector_bytes, {}};
  warp::detail::for_each_lane(access.lanes,
                              [&](std::uint32_t lane) { sample.offsets[lane] = addresses[lane] - lowest; });
  into.observe(key, sample);
}

}  // namespace pasta
#endif
