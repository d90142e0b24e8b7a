// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_CUDA_CAPTURE_HPP
#define PASTA_VENDOR_CUDA_CAPTURE_HPP

#include <pasta/vendor/traits.hpp>

namespace pasta {

/// pasta::launch is the hook.
template <>
struct capture_kernel<vendor::cuda> : detail::hand_on_launch {};

}  // namespace pasta
#endif
