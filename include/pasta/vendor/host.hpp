// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The host vendor: a SIMT engine on CPU threads. The default where there is no GPU, and the oracle for the other
/// vendors.
#ifndef PASTA_VENDOR_HOST_HPP
#define PASTA_VENDOR_HOST_HPP

#include <pasta/vendor/host/capture.hpp>
#include <pasta/vendor/host/clock.hpp>
#include <pasta/vendor/host/lane.hpp>
#include <pasta/vendor/host/memory.hpp>
#include <pasta/vendor/host/warp.hpp>
#include <pasta/vendor/host/workers.hpp>

namespace pasta {
static_assert(complete_vendor<vendor::host>);
}
#endif
