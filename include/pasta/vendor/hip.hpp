// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The HIP vendor: kernels run on an AMD GPU. For files that hipcc compiles. Compiled and emulated, not run on AMD
/// hardware.
#ifndef PASTA_VENDOR_HIP_HPP
#define PASTA_VENDOR_HIP_HPP

#include <pasta/vendor/hip/capture.hpp>
#include <pasta/vendor/hip/clock.hpp>
#include <pasta/vendor/hip/lane.hpp>
#include <pasta/vendor/hip/launch.hpp>
#include <pasta/vendor/hip/memory.hpp>
#include <pasta/vendor/hip/runtime.hpp>
#include <pasta/vendor/hip/warp.hpp>

namespace pasta {
static_assert(complete_vendor<vendor::hip>);
}
#endif
