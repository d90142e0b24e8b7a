// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What one lane of the host engine knows and can do: what pasta::thread is made of. The same members for every vendor.
#ifndef PASTA_VENDOR_HOST_LANE_HPP
#define PASTA_VENDOR_HOST_LANE_HPP

#include <algorithm>
#include <pasta/event.hpp>
#include <pasta/vendor/host/atomic.hpp>
#include <pasta/vendor/host/space.hpp>
#include <pasta/vendor/host/warp.hpp>

namespace pasta::simt {

namespace detail {
template <class Array, int Number>
inline constexpr char shared_array_key = 0;
}  // namespace detail

class lane {
 public:
  /// @param linear the thread's index in its block, x fastest
  lane(block_runner& block, std::uint32_t linear) : block_(&block) {
    dim3 const& size = block.shape().block;
    thread_index_.x = linear % size.x;
    thread_index_.y = linear / size.x % size.y;
    thread_index_.z = linear / size.x / size.y;
  }

  dim3 thread_index() const { return thread_index_; }
  dim3 block_index() const { return block_->block_index(); }
  dim3 block_size() const { return block_->shape().block; }
  dim3 grid_size() const { return block_->shape().grid; }
  std::uint32_t number() const { return block_->lane_in_warp(); }
  std::uint32_t warp_width() const { return block_->warp_width(); }

  void sync_block() const { block_->sync_block(); }
  void sync_warp(place_order order) const { block_->converge(order); }
  void reconverge(place_order order) const { block_->converge(order); }
  lane_mask active_lanes(place_order order) const { return block_->converge(order); }

  struct votes {
    lane_mask lanes, holds;
  };
  // Lanes bring their values to the place where they come together anyway: one wait for each operation.
  votes vote(place_order order, bool condition) const {
    lane_mask const lanes = block_->converge(order, condition ? 1 : 0);
    auto& memo = block_->memo();  // the first lane to go on counts for all
    if (memo.group != block_->group_number()) {
      memo.group = block_->group_number();
      memo.words[0] = 0;
      warp::detail::for_each_lane(
          lanes, [&](std::uint32_t voter) { memo.words[0] |= block_->group_values()[voter] << voter; });
    }
    return {lanes, memo.words[0]};
  }
  template <class Value>
  Value shuffle(place_order order, Value value, std::uint32_t source) const {
    lane_mask const lanes = block_->converge(order, warp::detail::to_word(value));
    bool const is_there = source < max_warp_width && ((lanes >> source) & 1) != 0;
    return is_there ? warp::detail::from_word<Value>(block_->group_values()[source]) : value;
  }

  /// At once: the host has nothing that copies beside a kernel.
  template <class T>
  void copy_async(T* destination, T const* source, std::size_t count, std::size_t source_count) const {
    std::copy_n(source, source_count, destination);
    std::fill_n(destination + source_count, count - source_count, T{});
  }
  void wait_copies() const {}

  /// The block's array of this type and number. @throw std::length_error if a block's arrays exceed 227 KiB
  template <class Array, int Number>
  Array& shared_array() const {
    return *static_cast<Array*>(block_->shared().array(&detail::shared_array_key<Array, Number>, sizeof(Array)));
  }
  void* dynamic_shared() const { return block_->shared().dynamic(); }

  /// Where a pointer points: to a shared array, to a lane's own stack, or elsewhere.
  memory_space space_of(void const* address) const { return simt::space_of(*block_, address); }

 private:
  block_runner* block_;
  dim3 thread_index_;
};

}  // namespace pasta::simt
#endif
