// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// For any GPU, by the neutral headers alone. Device code.
#ifndef PASTA_ANALYSIS_GPU_SHADOW_REQUEST_HPP
#define PASTA_ANALYSIS_GPU_SHADOW_REQUEST_HPP

#include <pasta/analysis/shadow_bits.hpp>

namespace pasta::detail {

/// One request, by all its lanes. Of neighbouring lanes in one line the first sets its bit. Where all lanes are in one
/// page, one of them counts for all.
PASTA_DEVICE PASTA_ALWAYS_INLINE void update_shadow_of(shadow_view const& in, lane_mask lanes, std::uint64_t address,
                                                       std::uint64_t size_bytes) {
  // Read once: what is written below could be the range, as far as the compiler knows.
  shadow_range const range = *nearest_range(in, address);
  std::uint64_t const offset = address - range.address;
  bool const is_known = offset < range.size_bytes;
  std::uint64_t const left = range.size_bytes - offset;
  bool const is_beyond = is_known && size_bytes > left;
  constexpr std::uint32_t none = ~0u;
  std::uint32_t const line = is_known ? line_of(in, range, address) : none;
  std::uint32_t const last = is_known ? line_of(in, range, address + (is_beyond ? left : size_bytes) - 1) : none;
  std::uint32_t const page = is_known ? page_of(in, range, address) : none;

  std::uint32_t const lane = warp::lane(), before = lane == 0 ? 0 : lane - 1;
  std::uint32_t const last_before = warp::shuffle(lanes, last, before);
  std::uint32_t const first_page = warp::shuffle(lanes, page, warp::lowest(lanes));
  bool const is_first = lane == 0 || (lanes >> before & 1) == 0 || last_before != line || line != last;
  if (is_known && is_first) {
    PASTA_NO_UNROLL
    for (std::uint32_t each = line; each <= last; ++each) set_line(in, each);
  }
  bool const is_one_page = warp::all(lanes, page == first_page);
  std::uint64_t& counter = !is_known ? *in.unknown_accesses : in.page_accesses[page];
  if (!is_one_page || warp::is_leader(lanes)) {
    simt::atomic_add(counter, is_one_page ? std::uint64_t{warp::count(lanes)} : 1);
  }
  if (is_beyond) simt::atomic_add(*in.unknown_accesses, 1);
}

}  // namespace pasta::detail
#endif
