// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_HOST_MEMORY_HPP
#define PASTA_VENDOR_HOST_MEMORY_HPP

#include <pasta/vendor/traits.hpp>

namespace pasta {

/// On the host, pasta::buffer is the hook.
template <>
struct track_memory<vendor::host> {
  void operator()(void* pointer, std::size_t bytes) const noexcept {
    if (event_sink* sink = detail::installed_sink.load(std::memory_order_acquire)) sink->memory_seen(pointer, bytes);
  }
};

}  // namespace pasta
#endif
