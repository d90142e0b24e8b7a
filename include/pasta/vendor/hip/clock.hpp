// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_HIP_CLOCK_HPP
#define PASTA_VENDOR_HIP_CLOCK_HPP

#include <hip/hip_runtime.h>

#include <pasta/vendor/hip/runtime.hpp>
#include <pasta/vendor/host/clock.hpp>

namespace pasta {

/// The host's clock: times of launches are brought to it (session/hip/launch_timer.hpp).
template <>
struct get_nanoseconds<vendor::hip> : get_nanoseconds<vendor::host> {};

namespace simt {

/// The GPU's clock of constant frequency [ticks], the same for all its lanes. Device code.
PASTA_DEVICE inline std::uint64_t wall_clock() {
#if PASTA_IS_HOST_PASS
  return 0;
#else
  return static_cast<std::uint64_t>(wall_clock64());
#endif
}

/// Its frequency [ticks per second]; 0 where the runtime does not tell, as before ROCm 5.4. Any host thread.
inline std::uint64_t wall_clock_ticks_per_second(int device) noexcept {
  constexpr auto rate_khz = static_cast<hipDeviceAttribute_t>(10017);  // hipDeviceAttributeWallClockRate, where it is
  return std::uint64_t{runtime::attribute(rate_khz, device, 0)} * 1000;
}

}  // namespace simt
}  // namespace pasta
#endif
