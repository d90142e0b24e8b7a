// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The CUDA vendor: kernels run on an NVIDIA GPU. For files that nvcc compiles.
#ifndef PASTA_VENDOR_CUDA_HPP
#define PASTA_VENDOR_CUDA_HPP

#include <pasta/vendor/cuda/capture.hpp>
#include <pasta/vendor/cuda/clock.hpp>
#include <pasta/vendor/cuda/contexts.hpp>
#include <pasta/vendor/cuda/lane.hpp>
#include <pasta/vendor/cuda/memory.hpp>
#include <pasta/vendor/cuda/warp.hpp>

namespace pasta {
static_assert(complete_vendor<vendor::cuda>);
}
#endif
