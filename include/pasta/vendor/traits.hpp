// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a vendor must provide. A new vendor is one folder that specialises these three templates and provides the
/// device header `vendor/<v>/warp.hpp`.
#ifndef PASTA_VENDOR_TRAITS_HPP
#define PASTA_VENDOR_TRAITS_HPP

#include <atomic>
#include <concepts>
#include <pasta/tool.hpp>

namespace pasta {

/// Tells of a launch: `capture_kernel<V>{}(grid, block)`. Called by the vendor's hook on the launching thread, before
/// the launch; hands the launch to the installed sink; neither blocks nor throws.
template <class Vendor>
struct capture_kernel;

/// Tells of an allocation: `track_memory<V>{}(pointer, bytes)`. Called after an allocation; 0 bytes means freed. Any
/// thread; neither blocks nor throws.
template <class Vendor>
struct track_memory;

/// Time on the vendor's clock [ns], monotonic within one process, on the host's time base: `get_nanoseconds<V>{}()`.
/// Any thread; does not synchronise the GPU. Never throws. Gives 0 if the clock cannot be read.
template <class Vendor>
struct get_nanoseconds;

template <class Vendor>
concept complete_vendor = requires(dim3 grid, dim3 block, void* pointer, std::size_t bytes) {
  { capture_kernel<Vendor>{}(grid, block) }
  noexcept->std::same_as<void>;
  { track_memory<Vendor>{}(pointer, bytes) }
  noexcept->std::same_as<void>;
  { get_nanoseconds<Vendor>{}() }
  noexcept->std::same_as<std::uint64_t>;
};

/// Where vendors' hooks hand what they saw. Implementations are called on the thread that did it and must not throw.
struct event_sink {
  virtual void launch_seen(dim3 grid, dim3 block) noexcept = 0;
  virtual void memory_seen(void* pointer, std::size_t bytes) noexcept = 0;

 protected:
  ~event_sink() = default;
};

namespace detail {
inline constinit std::atomic<event_sink*> installed_sink{nullptr};
}

/// What a vendor's traits hand on where pasta::launch and pasta::buffer are the hooks.
namespace detail {
struct hand_on_launch {
  void operator()(dim3 grid, dim3 block) const noexcept {
    if (event_sink* sink = installed_sink.load(std::memory_order_acquire)) sink->launch_seen(grid, block);
  }
};
struct hand_on_memory {
  /// Freeing null is no event.
  void operator()(void* pointer, std::size_t bytes) const noexcept {
    event_sink* const sink = installed_sink.load(std::memory_order_acquire);
    if (sink != nullptr && pointer != nullptr) sink->memory_seen(pointer, bytes);
  }
};
}  // namespace detail

/// Installs the sink for all vendors' hooks; null takes it away. The sink must live until it is replaced.
/// @return the one before
inline event_sink* install_sink(event_sink* sink) noexcept { return detail::installed_sink.exchange(sink); }

}  // namespace pasta
#endif
