// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_HOST_CAPTURE_HPP
#define PASTA_VENDOR_HOST_CAPTURE_HPP

#include <pasta/vendor/traits.hpp>

namespace pasta {

/// On the host, pasta::launch is the hook.
template <>
struct capture_kernel<vendor::host> : detail::hand_on_launch {};

}  // namespace pasta
#endif
