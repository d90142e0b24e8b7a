// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a kernel knows of its thread and can do besides accessing memory.
#ifndef PASTA_INSTRUMENT_THREAD_HPP
#define PASTA_INSTRUMENT_THREAD_HPP

#include <cstring>
#include <pasta/instrument/traced.hpp>

namespace pasta {

/// One GPU thread, as the kernel sees it; the kernel's first parameter. Made by pasta::launch.
template <class Probe>
class thread {
 public:
  /// @param linear the thread's index in its block, x fastest
  explicit thread(simt::block_runner& block, std::uint32_t linear) : block_(&block) {
    dim3 const& size = block.shape().block;
    thread_index_.x = linear % size.x;
    thread_index_.y = linear / size.x % size.y;
    thread_index_.z = linear / size.x / size.y;
  }

  dim3 thread_index() const { return thread_index_; }
  dim3 block_index() const { return block_->block_index(); }
  dim3 block_size() const { return block_->shape().block; }  ///< [threads]
  dim3 grid_size() const { return block_->shape().grid; }    ///< [blocks]
  /// The thread's index over the whole grid, in x.
  std::size_t index() const { return index_x(); }
  /// The same in each direction.
  std::size_t index_x() const { return std::size_t{block_index().x} * block_size().x + thread_index_.x; }
  std::size_t index_y() const { return std::size_t{block_index().y} * block_size().y + thread_index_.y; }
  std::size_t index_z() const { return std::size_t{block_index().z} * block_size().z + thread_index_.z; }
  /// Threads of the grid in x: the step of a grid-stride loop.
  std::size_t grid_threads() const { return std::size_t{grid_size().x} * block_size().x; }
  std::uint32_t lane() const { return block_->lane_in_warp(); }
  std::uint32_t warp_width() const { return block_->warp_width(); }

  /// Waits for all threads of the block that have not ended.
  void sync_block(PASTA_PLACE_PARAMETERS) const {
    if constexpr (Probe::is_active) Probe::arrive({PASTA_PLACE_ARGUMENTS}, barrier_scope::block);
    block_->sync_block();
  }
  /// Waits for the lanes of the warp; diverged lanes come together here.
  void sync_warp(PASTA_PLACE_PARAMETERS) const {
    place const here{PASTA_PLACE_ARGUMENTS};
    if constexpr (Probe::is_active) Probe::arrive(here, barrier_scope::warp);
    converge(here);
  }

  /// Nothing on a GPU. On the host engine diverged lanes come together here: for the end of a loop from which some
  /// lanes went on to the next iteration before others, where the engine cannot see it (docs/routes.md).
  void reconverge(PASTA_PLACE_PARAMETERS) const { converge({PASTA_PLACE_ARGUMENTS}); }

  // Exchanges between the lanes that come here together. No memory access.
  /// The lanes that come here together.
  lane_mask active_lanes(PASTA_PLACE_PARAMETERS) const { return converge({PASTA_PLACE_ARGUMENTS}); }
  /// Those for which the condition holds.
  lane_mask ballot(bool condition, PASTA_PLACE_PARAMETERS) const {
    return vote({PASTA_PLACE_ARGUMENTS}, condition).holds;
  }
  bool any(bool condition, PASTA_PLACE_PARAMETERS) const { return vote({PASTA_PLACE_ARGUMENTS}, condition).holds != 0; }
  bool all(bool condition, PASTA_PLACE_PARAMETERS) const {
    votes const all_votes = vote({PASTA_PLACE_ARGUMENTS}, condition);
    return all_votes.holds == all_votes.lanes;
  }
  /// The value of another lane; the caller's own where that lane does not come here.
  template <class Value>
  Value shuffle(Value value, std::uint32_t source_lane, PASTA_PLACE_PARAMETERS) const {
    return value_of({PASTA_PLACE_ARGUMENTS}, value, source_lane);
  }
  template <class Value>
  Value shuffle_up(Value value, std::uint32_t distance, PASTA_PLACE_PARAMETERS) const {
    return value_of({PASTA_PLACE_ARGUMENTS}, value, lane() >= distance ? lane() - distance : lane());
  }
  template <class Value>
  Value shuffle_down(Value value, std::uint32_t distance, PASTA_PLACE_PARAMETERS) const {
    std::uint32_t const source = lane() + distance;
    return value_of({PASTA_PLACE_ARGUMENTS}, value, source < warp_width() ? source : lane());
  }
  template <class Value>
  Value shuffle_xor(Value value, std::uint32_t mask, PASTA_PLACE_PARAMETERS) const {
    return value_of({PASTA_PLACE_ARGUMENTS}, value, lane() ^ mask);
  }

  /// Decides a condition where tools can see it; gives it back.
  bool branch(bool condition, PASTA_PLACE_PARAMETERS) const {
    if constexpr (Probe::is_active) Probe::decide({PASTA_PLACE_ARGUMENTS}, condition);
    return condition;
  }

  // Relaxed atomic operations on an element of a traced array; each gives the value before.
#define PASTA_DETAIL_ATOMIC(name, expression)                                                        \
  template <class T, class V>                                                                        \
  T atomic_##name(traced_reference<T, Probe> const& target, V const& operand) const {                \
    Probe::access(target.where(), access_kind::atomic, target.space(), target.address(), sizeof(T)); \
    return atomic_##name(*target.address(), operand);                                                \
  }                                                                                                  \
  template <class T, class V>                                                                        \
  requires std::is_arithmetic_v<T> T atomic_##name(T& target, V const& operand) const {              \
    return update(target, [&]([[maybe_unused]] T old) { return static_cast<T>(expression); });       \
  }
  PASTA_DETAIL_ATOMIC(add, old + static_cast<T>(operand))
  PASTA_DETAIL_ATOMIC(sub, old - static_cast<T>(operand))
  PASTA_DETAIL_ATOMIC(min, old < static_cast<T>(operand) ? old : static_cast<T>(operand))
  PASTA_DETAIL_ATOMIC(max, old > static_cast<T>(operand) ? old : static_cast<T>(operand))
  PASTA_DETAIL_ATOMIC(exchange, operand)
  PASTA_DETAIL_ATOMIC(and, old& static_cast<T>(operand))
  PASTA_DETAIL_ATOMIC(or, old | static_cast<T>(operand))
#undef PASTA_DETAIL_ATOMIC
  /// Writes `desired` if the element equals `expected`.
  template <class T>
  T atomic_compare_exchange(traced_reference<T, Probe> const& target, std::type_identity_t<T> expected,
                            std::type_identity_t<T> desired) const {
    Probe::access(target.where(), access_kind::atomic, target.space(), target.address(), sizeof(T));
    return atomic_compare_exchange(*target.address(), expected, desired);
  }
  template <class T>
  requires std::is_arithmetic_v<T> T atomic_compare_exchange(T& target, std::type_identity_t<T> expected,
                                                             std::type_identity_t<T> desired)
  const {
    std::atomic_ref<T>(target).compare_exchange_strong(expected, desired, std::memory_order_relaxed);
    return expected;
  }

  /// Copies `count` elements; those from `source_count` on are zeros. On a GPU it runs beside the kernel until
  /// wait_copies(); on the host it is done at once.
  template <class T, class U>
  requires std::is_same_v<std::remove_const_t<U>, T>
  void copy_async(traced<T, Probe> destination, traced<U, Probe> source, std::size_t count, std::size_t source_count,
                  PASTA_PLACE_PARAMETERS) const {
    source_count = std::min(source_count, count);
    if constexpr (Probe::is_active) {
      Probe::copy_async({PASTA_PLACE_ARGUMENTS}, destination.raw(), destination.space(), source.raw(), source.space(),
                        count * sizeof(T), source_count * sizeof(T));
    }
    std::copy_n(source.raw(), source_count, destination.raw());
    std::fill_n(destination.raw() + source_count, count - source_count, T{});
  }
  /// Waits for the calling thread's copies; other threads' copies need a barrier after it.
  void wait_copies() const {}

  simt::block_runner& block() const { return *block_; }

 private:
  // Lanes bring their values to the place where they come together anyway: one wait for each operation.
  lane_mask converge(place const& where, std::uint64_t brought = 0) const {
    return block_->converge(site_key::of(where, operation::warp, memory_space::global, 0).order(), brought);
  }
  template <class Value>
  Value value_of(place const& where, Value value, std::uint32_t source_lane) const {
    lane_mask const lanes = converge(where, warp::detail::to_word(value));
    bool const is_there = source_lane < simt::max_warp_width && ((lanes >> source_lane) & 1) != 0;
    return is_there ? warp::detail::from_word<Value>(block_->group_values()[source_lane]) : value;
  }
  struct votes {
    lane_mask lanes, holds;
  };
  votes vote(place const& where, bool condition) const {
    lane_mask const lanes = converge(where, condition ? 1 : 0);
    auto& memo = block_->memo();  // the first lane to go on counts for all
    if (memo.group != block_->group_number()) {
      memo.group = block_->group_number();
      memo.words[0] = 0;
      warp::detail::for_each_lane(
          lanes, [&](std::uint32_t voter) { memo.words[0] |= block_->group_values()[voter] << voter; });
    }
    return {lanes, memo.words[0]};
  }
  template <class T, class Function>
  static T update(T& target, Function&& f) {
    std::atomic_ref<T> const atomic(target);
    T old = atomic.load(std::memory_order_relaxed);
    while (!atomic.compare_exchange_weak(old, f(old), std::memory_order_relaxed)) {
    }
    return old;
  }

  simt::block_runner* block_;
  dim3 thread_index_;
};

namespace detail {
template <class Array, int Number>
inline constexpr char shared_array_key = 0;

template <class Array, class Probe>
auto view_shared(void* address) {
  using row = std::remove_extent_t<Array>;
  return traced<row, Probe>(static_cast<row*>(address), memory_space::shared);
}
}  // namespace detail

/// The block's static shared array, e.g. `auto tile = pasta::shared<float[32][33]>(t);`. Contents are undefined at
/// first.
/// @tparam Array an array type; the same (Array, Number) is the same array everywhere in the kernel
/// @tparam Number tells arrays of the same type apart
/// @throw std::length_error (on the host) if a block's arrays exceed 227 KiB
template <class Array, int Number = 0, class Probe>
auto shared(thread<Probe> const& t) {
  static_assert(std::is_array_v<Array>, "pasta::shared takes an array type: pasta::shared<float[256]>(t)");
  return detail::view_shared<Array, Probe>(
      t.block().shared().array(&detail::shared_array_key<Array, Number>, sizeof(Array)));
}

/// The block's dynamic shared memory: launch_config::shared_bytes, as elements of T.
template <class T, class Probe>
auto dynamic_shared(thread<Probe> const& t) {
  return traced<T, Probe>(static_cast<T*>(t.block().shared().dynamic()), memory_space::shared);
}

}  // namespace pasta
#endif
