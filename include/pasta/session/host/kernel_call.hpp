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
      hooks.begin_block = [](void*, simt::worker& on, dim3 index) { Probe::begin_block(on, index); };
      hooks.end_block = [](void*, simt::worker& on, dim3 index) {
        Probe::end_block(on, index);
        if (on.block.take_mismatch()) {
          ++static_cast<worker_data<typename Probe::tools>*>(on.probe_data)->kernel->mismatched_exchanges;
        }
      };
    }
    engine.run(shape, hooks);
  }

 private:
  PASTA_ALWAYS_INLINE void run_lane(std::uint32_t thread_index) {
    thread<Probe> t(simt::lane(simt::current_worker()->block, thread_index));
    if constexpr (Probe::is_active) Probe::begin_thread();
    std::apply(
        [&](auto const&... parameters) {
          kernel_->template operator()<Probe>(t, to_kernel_argument<Probe>(parameters, no_handle{})...);
        },
        parameters_);
    if constexpr (Probe::is_active) Probe::end_thread();
  }

  Kernel const* kernel_;
  std::tuple<parameter_t<Arguments>...> parameters_;
};

}  // namespace detail

}  // namespace pasta
#endif
