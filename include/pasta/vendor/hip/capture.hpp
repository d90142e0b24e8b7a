// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_HIP_CAPTURE_HPP
#define PASTA_VENDOR_HIP_CAPTURE_HPP

#include <pasta/vendor/traits.hpp>

namespace pasta {

/// pasta::launch is the hook.
template <>
struct capture_kernel<vendor::hip> {
  void operator()(dim3 grid, dim3 block) const noexcept {
    if (event_sink* sink = detail::installed_sink.load(std::memory_order_acquire)) sink->launch_seen(grid, block);
  }
};

}  // namespace pasta
#endif
