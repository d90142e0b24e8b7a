// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a kernel knows of its thread and can do besides accessing memory.
#ifndef PASTA_INSTRUMENT_THREAD_HPP
#define PASTA_INSTRUMENT_THREAD_HPP

#include <pasta/instrument/traced.hpp>

namespace pasta {

/// One GPU thread, as the kernel sees it; the kernel's first parameter. Made by pasta::launch.
template <class Probe>
class thread {
 public:
  using handle = typename Probe::handle;
  PASTA_DEVICE explicit thread(simt::lane const& lane, handle mine = {}) : lane_(lane), handle_(mine) {}

  PASTA_DEVICE dim3 thread_index() const { return lane_.thread_index(); }
  PASTA_DEVICE dim3 block_index() const { return lane_.block_index(); }
  PASTA_DEVICE dim3 block_size() const { return lane_.block_size(); }  ///< [threads]
  PASTA_DEVICE dim3 grid_size() const { return lane_.grid_size(); }    ///< [blocks]
  /// The thread's index over the whole grid, in x.
  PASTA_DEVICE std::size_t index() const { return index_x(); }
  /// The same in each direction.
  PASTA_DEVICE std::size_t index_x() const { return std::size_t{block_index().x} * block_size().x + thread_index().x; }
  PASTA_DEVICE std::size_t index_y() const { return std::size_t{block_index().y} * block_size().y + thread_index().y; }
  PASTA_DEVICE std::size_t index_z() const { return std::size_t{block_index().z} * block_size().z + thread_index().z; }
  /// Threads of the grid in x: the step of a grid-stride loop.
  PASTA_DEVICE std::size_t grid_threads() const { return std::size_t{grid_size().x} * block_size().x; }
  PASTA_DEVICE std::uint32_t lane() const { return lane_.number(); }
  PASTA_DEVICE std::uint32_t warp_width() const { return lane_.warp_width(); }

  /// Waits for all threads of the block that have not ended.
  PASTA_DEVICE void sync_block(PASTA_PLACE_PARAMETERS) const {
    if constexpr (Probe::is_active) Probe::arrive(handle_, {PASTA_PLACE_ARGUMENTS}, barrier_scope::block);
    lane_.sync_block();
  }
  /// Waits for the lanes of the warp; diverged lanes come together here.
  PASTA_DEVICE void sync_warp(PASTA_PLACE_PARAMETERS) const {
    place const here{PASTA_PLACE_ARGUMENTS};
    if constexpr (Probe::is_active) Probe::arrive(handle_, here, barrier_scope::warp);
    lane_.sync_warp(order(here));
  }

  /// Nothing on a GPU. On the host engine diverged lanes come together here: for the end of a loop from which some
  /// lanes went on to the next iteration before others, where the engine cannot see it (docs/routes.md).
  PASTA_DEVICE void reconverge(PASTA_PLACE_PARAMETERS) const { lane_.reconverge(order({PASTA_PLACE_ARGUMENTS})); }

  // Exchanges between the lanes of the warp. No memory access. On a GPU all lanes of the warp that have not ended must
  // come here, as with CUDA's full mask; the host engine serves the lanes that come together.
  /// The lanes that come here together. On a GPU: those that the hardware has together, which may be a part.
  PASTA_DEVICE lane_mask active_lanes(PASTA_PLACE_PARAMETERS) const {
    return lane_.active_lanes(order({PASTA_PLACE_ARGUMENTS}));
  }
  /// Those for which the condition holds.
  PASTA_DEVICE lane_mask ballot(bool condition, PASTA_PLACE_PARAMETERS) const {
    return lane_.vote(order({PASTA_PLACE_ARGUMENTS}), condition).holds;
  }
  PASTA_DEVICE bool any(bool condition, PASTA_PLACE_PARAMETERS) const {
    return lane_.vote(order({PASTA_PLACE_ARGUMENTS}), condition).holds != 0;
  }
  PASTA_DEVICE bool all(bool condition, PASTA_PLACE_PARAMETERS) const {
    return lane_.vote(order({PASTA_PLACE_ARGUMENTS}), !condition).holds == 0;
  }
  /// The value of another lane; the caller's own where that lane does not come here.
  template <class Value>
  PASTA_DEVICE Value shuffle(Value value, std::uint32_t source_lane, PASTA_PLACE_PARAMETERS) const {
    return lane_.shuffle(order({PASTA_PLACE_ARGUMENTS}), value, source_lane);
  }
  template <class Value>
  PASTA_DEVICE Value shuffle_up(Value value, std::uint32_t distance, PASTA_PLACE_PARAMETERS) const {
    return lane_.shuffle(order({PASTA_PLACE_ARGUMENTS}), value, lane() >= distance ? lane() - distance : lane());
  }
  template <class Value>
  PASTA_DEVICE Value shuffle_down(Value value, std::uint32_t distance, PASTA_PLACE_PARAMETERS) const {
    std::uint32_t const source = lane() + distance;
    return lane_.shuffle(order({PASTA_PLACE_ARGUMENTS}), value, source < warp_width() ? source : lane());
  }
  template <class Value>
  PASTA_DEVICE Value shuffle_xor(Value value, std::uint32_t mask, PASTA_PLACE_PARAMETERS) const {
    return lane_.shuffle(order({PASTA_PLACE_ARGUMENTS}), value, lane() ^ mask);
  }

  /// Decides a condition where tools can see it; gives it back.
  PASTA_DEVICE bool branch(bool condition, PASTA_PLACE_PARAMETERS) const {
    if constexpr (Probe::is_active) Probe::decide(handle_, {PASTA_PLACE_ARGUMENTS}, condition);
    return condition;
  }

  /// Says where tools can see it that the warp multiplies matrix tiles here; stands before the instruction itself,
  /// which is the kernel's own (an mma, an MFMA). All lanes of the warp come here together, as for the instruction.
  ///
  ///     t.matrix_operation({16, 8, 16, pasta::element_type::f16, pasta::element_type::f32});
  PASTA_DEVICE void matrix_operation(matrix_shape shape, PASTA_PLACE_PARAMETERS) const {
    if constexpr (Probe::is_active) Probe::multiply(handle_, {PASTA_PLACE_ARGUMENTS}, shape);
    static_cast<void>(shape);
  }

  // Relaxed atomic operations on an element of a traced array; each gives the value before.
#define PASTA_DETAIL_ATOMIC(name)                                                                               \
  template <class T, class V>                                                                                   \
  PASTA_DEVICE T atomic_##name(traced_reference<T, Probe> const& target, V const& operand) const {              \
    Probe::access(target.probe_handle(), target.where(), access_kind::atomic, target.space(), target.address(), \
                  sizeof(T), target.position());                                                                \
    return simt::atomic_##name(*target.address(), static_cast<T>(operand));                                     \
  }                                                                                                             \
  template <class T, class V>                                                                                   \
  requires std::is_arithmetic_v<T> PASTA_DEVICE T atomic_##name(T& target, V const& operand) const {            \
    return simt::atomic_##name(target, static_cast<T>(operand));                                                \
  }
  PASTA_DETAIL_ATOMIC(add)
  PASTA_DETAIL_ATOMIC(sub)
  PASTA_DETAIL_ATOMIC(min)
  PASTA_DETAIL_ATOMIC(max)
  PASTA_DETAIL_ATOMIC(exchange)
  PASTA_DETAIL_ATOMIC(and)
  PASTA_DETAIL_ATOMIC(or)
#undef PASTA_DETAIL_ATOMIC
  /// Writes `desired` if the element equals `expected`.
  template <class T>
  PASTA_DEVICE T atomic_compare_exchange(traced_reference<T, Probe> const& target, std::type_identity_t<T> expected,
                                         std::type_identity_t<T> desired) const {
    Probe::access(target.probe_handle(), target.where(), access_kind::atomic, target.space(), target.address(),
                  sizeof(T), target.position());
    return simt::atomic_compare_exchange(*target.address(), expected, desired);
  }
  template <class T>
  requires std::is_arithmetic_v<T> PASTA_DEVICE T atomic_compare_exchange(T& target, std::type_identity_t<T> expected,
                                                                          std::type_identity_t<T> desired)
  const { return simt::atomic_compare_exchange(target, expected, desired); }

  /// Copies `count` elements; those from `source_count` on are zeros. On a GPU it runs beside the kernel until
  /// wait_copies(); on the host it is done at once.
  template <class T, class U>
  requires std::is_same_v<std::remove_const_t<U>, T> PASTA_DEVICE void copy_async(traced<T, Probe> destination,
                                                                                  traced<U, Probe> source,
                                                                                  std::size_t count,
                                                                                  std::size_t source_count,
                                                                                  PASTA_PLACE_PARAMETERS) const {
    if (source_count > count) source_count = count;
    if constexpr (Probe::is_active) {
      Probe::copy_async(handle_, {PASTA_PLACE_ARGUMENTS}, destination.raw(), destination.space(), source.raw(),
                        source.space(), count * sizeof(T), source_count * sizeof(T));
    }
    lane_.copy_async(destination.raw(), static_cast<T const*>(source.raw()), count, source_count);
  }
  /// Waits for the calling thread's copies; other threads' copies need a barrier after it.
  PASTA_DEVICE void wait_copies() const { lane_.wait_copies(); }

  /// A raw pointer as a traced array, for memory that pasta::launch did not hand over: a part of a structure, a lane's
  /// own variable. Which space it points to is asked once, here.
  template <class T>
  PASTA_DEVICE traced<T, Probe> trace(T* first) const {
    return {first, lane_.space_of(first), handle_};
  }

  PASTA_DEVICE simt::lane const& vendor_lane() const { return lane_; }
  PASTA_DEVICE handle probe_handle() const { return handle_; }

 private:
  PASTA_DEVICE static std::uint64_t order(place const& where) {
    return site_key::of(where, operation::warp, memory_space::global, 0).order();
  }

  [[no_unique_address]] simt::lane lane_;
  [[no_unique_address]] handle handle_;
};

/// The block's static shared array, e.g. `auto tile = pasta::shared<float[32][33]>(t);`. Contents are undefined at
/// first.
/// @tparam Array an array type; the same (Array, Number) is the same array everywhere in the kernel
/// @tparam Number tells arrays of the same type apart
/// @throw std::length_error (on the host) if a block's arrays exceed 227 KiB
template <class Array, int Number = 0, class Probe>
PASTA_DEVICE auto shared(thread<Probe> const& t) {
  static_assert(std::is_array_v<Array>, "pasta::shared takes an array type: pasta::shared<float[256]>(t)");
  using array = std::conditional_t<std::is_array_v<Array>, Array, Array[1]>;
  using row = std::remove_extent_t<array>;
  return traced<row, Probe>(t.vendor_lane().template shared_array<array, Number>(), memory_space::shared,
                            t.probe_handle());
}

/// The block's dynamic shared memory: launch_config::shared_bytes, as elements of T.
template <class T, class Probe>
PASTA_DEVICE auto dynamic_shared(thread<Probe> const& t) {
  return traced<T, Probe>(static_cast<T*>(t.vendor_lane().dynamic_shared()), memory_space::shared, t.probe_handle());
}

}  // namespace pasta
#endif
