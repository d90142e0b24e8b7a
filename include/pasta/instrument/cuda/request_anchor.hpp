// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Tells from a thread's first request, and from indices, that others are in order. Device code.
#ifndef PASTA_INSTRUMENT_CUDA_REQUEST_ANCHOR_HPP
#define PASTA_INSTRUMENT_CUDA_REQUEST_ANCHOR_HPP

#include <pasta/instrument/site.hpp>
#include <pasta/vendor/cuda.hpp>

namespace pasta::detail {

/// The request of the thread's first event, where registers are kept for it. Constants say the most of it: a request
/// for the element of the same index, or one beside, needs no look at what other lanes do.
class request_anchor {
 public:
  /// @param is_used whether the kernel has registers for it: a constant
  PASTA_DEVICE PASTA_ALWAYS_INLINE explicit request_anchor(bool is_used) : is_used_(is_used) {}

  /// What a request is to the anchor.
  struct relation {
    bool is_anchor, is_comparable;
  };
  /// A request of a lane. @param may_tell whether the site's layout is that of most
  /// @return whether all lanes are here, and in order
  PASTA_DEVICE PASTA_ALWAYS_INLINE bool tell(std::uint32_t size_bytes, array_position const& position, bool may_tell,
                                             relation& is) {
    auto const first =
        reinterpret_cast<std::uintptr_t>(position.first) - reinterpret_cast<std::uintptr_t>(position.origin);
    is.is_anchor = is_used_ && position.is_known && anchor_.size_bytes == 0;
    is.is_comparable = is_used_ && position.is_known && anchor_.size_bytes == size_bytes && anchor_.first == first;
    std::int64_t const distance = position.index - anchor_.index;
    if (is.is_anchor) {
      anchor_ = {first, position.index, size_bytes};
      return false;
    }
    parts const before = anchor_;
    anchor_.has_other = true;
    anchor_.other_index = position.index;
    anchor_.other_lanes = 0;
    if (!may_tell || !is.is_comparable || !is_in_order(before, distance)) return false;
    anchor_.other_lanes = warp::full;
    return true;
  }
  /// The request that tell() could not tell of turned out to be in order, and that of all lanes.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void confirm(relation const& is) {
    if (is.is_anchor && warp::detail::active() == warp::full) anchor_.lanes = warp::full;  // of all lanes, or of none
    if (!is.is_anchor && is.is_comparable) anchor_.other_lanes = anchor_.lanes;  // in order beside what is in order
  }

 private:
  struct parts {
    std::uint64_t first = 0;       // element 0 of the array, from the array's origin [bytes]
    std::int64_t index = 0;        // [elements]
    std::uint32_t size_bytes = 0;  // of an element; 0: there is none yet
    lane_mask lanes = 0;           // all if the request was that of all lanes, and in order: the same for all
    // The latest other request.
    bool has_other = false;
    std::int64_t other_index = 0;
    lane_mask other_lanes = 0;  // all if it was that of all lanes, and in order; lanes that had another since have 0
  };

  // By its low bits: few instructions where it is no constant.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static bool is_near(std::int64_t distance) {
    return static_cast<std::uint32_t>(distance) + 1 <= 2;
  }
  // Each distance on its own: lanes with different ones are not here together.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static bool is_in_order(parts const& before, std::int64_t distance) {
    if (is_near(distance)) {
      if (distance == 0) return warp::detail::active() == before.lanes;
      if (distance == 1) return warp::detail::active() == before.lanes;
      if (distance == -1) return warp::detail::active() == before.lanes;
    }
    std::int64_t const opposite = before.index - before.other_index;
    if (before.has_other && !is_near(opposite)) {  // as a stencil's rows above and below
      if (static_cast<std::uint32_t>(distance) == static_cast<std::uint32_t>(opposite) && distance == opposite) {
        return warp::detail::active_with(before.other_lanes == warp::full) == warp::full;
      }
    }
    return false;
  }

  bool is_used_;
  parts anchor_{};
};

}  // namespace pasta::detail
#endif
