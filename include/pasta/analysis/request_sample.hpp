// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_REQUEST_SAMPLE_HPP
#define PASTA_ANALYSIS_REQUEST_SAMPLE_HPP

#include <pasta/analysis/coalesce.hpp>
#include <pasta/analysis/earliest.hpp>
#include <pasta/analysis/rare.hpp>
#include <pasta/tool.hpp>

namespace pasta {

/// One request, kept so that it can be looked at later. Positions, not addresses: two runs keep the same.
struct request_sample {
  static constexpr std::uint32_t max_lanes = 64;
  std::uint64_t lanes;               ///< which took part, one bit each
  std::uint64_t first_byte;          ///< where the lowest byte lies in its sector [bytes]
  std::uint64_t offsets[max_lanes];  ///< [lane]: from the lowest byte to the lane's first [bytes]; 0 for other lanes
};

/// The sample with the lowest rank that a site has seen.
using worst_request = rare<earliest<request_sample>>;

namespace detail {
// A lane's part of what tells two samples of equal rank apart; the parts are added up. The lane's number, and how far
// it is from the request's first lane [bytes].
PASTA_DEVICE constexpr std::uint32_t sample_fingerprint(std::uint32_t lane, std::uint32_t distance) {
  std::uint32_t x = distance * 0x9e3779b1u + lane * 0x85ebca77u + 1;
  x = (x ^ x >> 15) * 0xc2b2ae3du;
  return x ^ x >> 13;
}
// The part of where the request's first lane begins in its sector.
PASTA_DEVICE constexpr std::uint32_t sample_fingerprint_of(std::uint32_t first_byte) {
  return sample_fingerprint(request_sample::max_lanes, first_byte);
}
// A request whose lanes lie side by side and whose addresses grow by the same from each to the next is told by that
// alone. A single lane is one too.
PASTA_DEVICE constexpr bool is_sample_run(std::uint64_t lanes, request_shape const& shape) {
  std::uint64_t const above = lanes + (lanes & (0 - lanes));  // a power of two, or 0 of 64 lanes
  return (above & (above - 1)) == 0 && (shape.is_regular || shape.lanes == 1);
}
PASTA_DEVICE constexpr std::uint32_t sample_fingerprint_of_run(std::uint64_t lanes, std::uint32_t first_byte,
                                                               std::uint32_t stride) {
  constexpr std::uint32_t low = request_sample::max_lanes + 1, high = low + 1, step = low + 2;
  return sample_fingerprint_of(first_byte) + sample_fingerprint(low, static_cast<std::uint32_t>(lanes)) +
         sample_fingerprint(high, static_cast<std::uint32_t>(lanes >> 32)) + sample_fingerprint(step, stride);
}
// Lowest rank first; of equal ranks the one with the lower fingerprint, so that the order of events never shows. The
// first part of a key is known from the request's first two lanes; only if it is as low, all lanes are looked at.
inline constexpr std::uint32_t rest_of_sample_key_bits = 24;
PASTA_DEVICE constexpr std::uint64_t first_of_sample_key(std::uint32_t rank, std::uint32_t second_distance) {
  return std::uint64_t{rank} << 8 | sample_fingerprint(0, second_distance) >> 24;
}
PASTA_DEVICE constexpr std::uint64_t sample_key(std::uint64_t first, std::uint32_t fingerprint) {
  return first << rest_of_sample_key_bits | fingerprint >> (32 - rest_of_sample_key_bits);
}
}  // namespace detail

/// Keeps the request of an event as the site's sample if its rank is lower than that of the one kept so far. Of equal
/// ranks one is kept that does not depend on the order of events. Called by the handler of that event, on all of its
/// lanes and with the same rank.
/// @param field where: `&site_state::worst`
/// @param shape of the request, from coalesce()
/// @param sector_bytes what `first_byte` is relative to
template <class Tool, class State>
PASTA_DEVICE PASTA_ALWAYS_INLINE void observe_request(context<Tool>& at, worst_request State::*field,
                                                      std::uint32_t rank, memory_access const& access,
                                                      request_shape const& shape, std::uint32_t sector_bytes);

}  // namespace pasta

#include PASTA_ANALYSIS_OF_VENDOR(request_sample)

#endif
