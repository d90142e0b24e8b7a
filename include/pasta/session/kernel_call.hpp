// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A kernel with its arguments, ready to be run by the host engine under a probe.
#ifndef PASTA_SESSION_KERNEL_CALL_HPP
#define PASTA_SESSION_KERNEL_CALL_HPP

#include <functional>
#include <pasta/instrument/thread.hpp>

namespace pasta {

/// The shape of a kernel's launches so far.
class launch_shape_summary {
 public:
  void add(simt::launch_shape const& shape) {
    if (launch_count_++ == 0) {
      grid_ = shape.grid, block_ = shape.block;
    } else {
      is_one_ = is_one_ && grid_ == shape.grid && block_ == shape.block;
    }
    shared_bytes_ = std::max<std::uint64_t>(shared_bytes_, shape.shared_bytes);
  }
  void fill(dim3& grid, dim3& block, bool& is_one, std::uint64_t& shared_bytes) const {
    grid = grid_, block = block_, is_one = is_one_, shared_bytes = shared_bytes_;
  }

 private:
  dim3 grid_, block_;
  std::uint64_t launch_count_ = 0, shared_bytes_ = 0;
  bool is_one_ = true;
};

namespace detail {

// What a kernel gets for an argument of pasta::launch: pointers become traced arrays, everything else is copied.
template <class Probe, class T>
traced<T, Probe> to_kernel_argument(T* pointer) {
  return traced<T, Probe>(pointer, memory_space::global);
}
template <class Probe, class T>
requires(!std::is_pointer_v<T> && !requires(T const& array) { array.device_pointer(); }) T
    to_kernel_argument(T const& value) {
  return value;
}
template <class Probe, class T>
requires requires(T const& array) { array.device_pointer(); }
auto to_kernel_argument(T const& array) { return to_kernel_argument<Probe>(array.device_pointer()); }

template <class Probe, class Kernel, class... Arguments>
class kernel_call {
 public:
  explicit kernel_call(Kernel const& kernel, Arguments const&... arguments)
      : kernel_(&kernel), arguments_(to_kernel_argument<Probe>(arguments)...) {}

  std::function<void(simt::worker&)> prepare_worker;

  void run(simt::engine& engine, simt::launch_shape const& shape) {
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
    thread<Probe> t(simt::current_worker()->block, thread_index);
    if constexpr (Probe::is_active) Probe::begin_thread();
    std::apply([&](auto const&... arguments) { kernel_->template operator()<Probe>(t, arguments...); }, arguments_);
    if constexpr (Probe::is_active) Probe::end_thread();
  }

  Kernel const* kernel_;
  std::tuple<decltype(to_kernel_argument<Probe>(std::declval<Arguments const&>()))...> arguments_;
};

template <class Kernel, class... Arguments>
concept is_kernel_for = requires(Kernel const& kernel, thread<no_probe>& t, Arguments const&... arguments) {
  kernel.template operator()<no_probe>(t, to_kernel_argument<no_probe>(arguments)...);
};

}  // namespace detail

}  // namespace pasta
#endif
