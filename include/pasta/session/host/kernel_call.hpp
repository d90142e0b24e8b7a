// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A kernel with its arguments, ready to be run by the host engine under a probe.
#ifndef PASTA_SESSION_HOST_KERNEL_CALL_HPP
#define PASTA_SESSION_HOST_KERNEL_CALL_HPP

#include <functional>
#include <pasta/session/kernel_argument.hpp>
#include <tuple>

namespace pasta {

namespace detail {

template <class Probe, class Kernel, class... Arguments>
class kernel_call {
 public:
  explicit kernel_call(Kernel const& kernel, Arguments const&... arguments)
      : kernel_(&kernel), parameters_(to_parameter(arguments)...) {}

  std::function<void(simt::worker&)> prepare_worker;
  /// Says whether a block is in the sample, by its number in the grid; null: all are.
  std::function<bool(simt::worker&, std::uint64_t)> choose_block;

  void run(simt::engine& engine, launch_shape const& shape) {
    simt::launch_hooks hooks;
    hooks.argument = this;
    hooks.run_lane = [](void* self, std::uint32_t thread_index) {
      static_cast<kernel_call*>(self)->run_lane(thread_index);
    };
    hooks.begin_worker = [](void* self, simt::worker& on) {
      if (auto const& prepare = static_cast<kernel_call*>(self)->prepare_worker) prepare(on);
    };
    if constexpr (Probe::is_active) {
      hooks.begin_block = [](void* self, simt::worker& on, dim3 index) {
        static_cast<kernel_call*>(self)->begin_block(on, index);
      };
      hooks.end_block = [](void*, simt::worker& on, dim3 index) {
        if (on.is_block_left_out) return static_cast<void>(on.block.take_mismatch());
        Probe::end_block(on, index);
        if (on.block.take_mismatch()) {
          ++static_cast<worker_data<typename Probe::tools>*>(on.probe_data)->kernel->mismatched_exchanges;
        }
      };
    }
    grid_ = shape.grid;
    engine.run(shape, hooks);
  }

 private:
  void begin_block(simt::worker& on, dim3 index) {
    std::uint64_t const number = index.x + std::uint64_t{grid_.x} * (index.y + std::uint64_t{grid_.y} * index.z);
    on.is_block_left_out = choose_block && !choose_block(on, number);
    if (!on.is_block_left_out) Probe::begin_block(on, index);
  }

  PASTA_ALWAYS_INLINE void run_lane(std::uint32_t thread_index) {
    if constexpr (Probe::is_active) {
      if (simt::current_worker()->is_block_left_out) return run_left_out(thread_index);
    }
    run_lane_with<Probe>(thread_index);
  }

  PASTA_NEVER_INLINE void run_left_out(std::uint32_t thread_index) { run_lane_with<no_probe>(thread_index); }

  template <class Using>
  PASTA_ALWAYS_INLINE void run_lane_with(std::uint32_t thread_index) {
    thread<Using> t(simt::lane(simt::current_worker()->block, thread_index));
    if constexpr (Using::is_active) Using::begin_thread();
    std::apply(
        [&](auto const&... parameters) {
          kernel_->template operator()<Using>(t, to_kernel_argument<Using>(parameters, no_handle{})...);
        },
        parameters_);
    if constexpr (Using::is_active) Using::end_thread();
  }

  Kernel const* kernel_;
  dim3 grid_;
  std::tuple<parameter_t<Arguments>...> parameters_;
};

}  // namespace detail

}  // namespace pasta
#endif
