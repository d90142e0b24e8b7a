// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_CUDA_CLOCK_HPP
#define PASTA_VENDOR_CUDA_CLOCK_HPP

#include <pasta/vendor/host/clock.hpp>

namespace pasta {

/// The host's clock: times of launches are brought to it (session/cuda/launch_timer.hpp).
template <>
struct get_nanoseconds<vendor::cuda> : get_nanoseconds<vendor::host> {};

}  // namespace pasta
#endif
