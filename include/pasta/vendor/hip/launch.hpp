// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_HIP_LAUNCH_HPP
#define PASTA_VENDOR_HIP_LAUNCH_HPP

#include <hip/hip_runtime.h>

#include <pasta/vendor/hip/runtime.hpp>
#include <pasta/vendor/launch_shape.hpp>
#include <type_traits>

// A runtime without machine code finds kernels by their type (tests/emulation/hip).
#ifndef PASTA_HIP_LAUNCH
#define PASTA_HIP_LAUNCH(function, ...) hipLaunchKernel(reinterpret_cast<void const*>(function), __VA_ARGS__)
#endif

namespace pasta::simt {

/// Launches a kernel. Not with <<<>>>, whose error is the program's own if one is pending.
template <class... Parameters>
hipError_t start(void (*function)(Parameters...), launch_shape const& shape, hipStream_t stream,
                 std::type_identity_t<Parameters>... parameters) {
  void* all[] = {static_cast<void*>(&parameters)..., nullptr};
  return PASTA_HIP_LAUNCH(function, ::dim3(shape.grid.x, shape.grid.y, shape.grid.z),
                          ::dim3(shape.block.x, shape.block.y, shape.block.z), all, shape.shared_bytes, stream);
}
/// Whether that worked; takes the runtime's last error back.
inline bool is_started(hipError_t error) { return runtime::is_done(error); }

}  // namespace pasta::simt
#endif
