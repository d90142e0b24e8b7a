// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Launches: <<<>>> (the compiler script makes configuration{...}.of(kernel) of it), the macro, and what PASTA uses.
#ifndef PASTA_TESTS_EMULATION_HIP_EMULATED_LAUNCH_H
#define PASTA_TESTS_EMULATION_HIP_EMULATED_LAUNCH_H

#include <functional>
#include <tuple>
#include <utility>

#include "hip/emulated_device.h"
#include "hip/hip_runtime_api.h"

namespace hip_emulation {

/// What hipGetLastError gives, if it is one. @return the same
hipError_t set_last_error(hipError_t error);

/// Runs a grid to its end; `lane` is called once for each thread. What it throws ends the process, as a GPU's fault
/// ends its context.
hipError_t run(dim3 grid, dim3 block, std::size_t shared_bytes, std::function<void()> const& lane);

/// A grid of a kernel whose type it knows; `parameters` points to each of them.
using run_kernel = hipError_t (*)(void const* kernel, dim3 grid, dim3 block, void** parameters,
                                  std::size_t shared_bytes);
/// What hipLaunchKernel is to do with a kernel, of which it only gets the address. Any thread.
void add_kernel(void const* kernel, run_kernel how);

template <class... Parameters>
hipError_t run_typed(void const* kernel, dim3 grid, dim3 block, void** parameters, std::size_t shared_bytes) {
  auto* const function = reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(kernel));
  return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    std::tuple<Parameters...> const all(*static_cast<Parameters*>(parameters[Index])...);
    return run(grid, block, shared_bytes, [&] { std::apply(function, all); });  // each lane gets copies
  }
  (std::index_sequence_for<Parameters...>{});
}

/// hipLaunchKernel's way: `parameters` points to each of them.
template <class... Parameters>
hipError_t start_with(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** parameters, std::size_t shared_bytes,
                      hipStream_t stream) {
  auto const* const function = reinterpret_cast<void const*>(kernel);
  add_kernel(function, &run_typed<Parameters...>);
  return hipLaunchKernel(function, grid, block, parameters, shared_bytes, stream);
}

class configuration {
 public:
  configuration(dim3 grid, dim3 block, std::size_t shared_bytes = 0, hipStream_t stream = nullptr)
      : grid_(grid), block_(block), shared_bytes_(shared_bytes), stream_(stream) {}
  template <class... Parameters>
  auto of(void (*kernel)(Parameters...)) const {
    return [*this, kernel](std::type_identity_t<Parameters>... parameters) {
      void* all[] = {static_cast<void*>(&parameters)..., nullptr};
      static_cast<void>(start_with(kernel, grid_, block_, all, shared_bytes_, stream_));
    };
  }

 private:
  dim3 grid_, block_;
  std::size_t shared_bytes_;
  hipStream_t stream_;
};

}  // namespace hip_emulation

#define hipLaunchKernelGGLInternal(kernel, grid, block, shared_bytes, stream, ...) \
  ::hip_emulation::configuration(grid, block, shared_bytes, stream).of(kernel)(__VA_ARGS__)
#define hipLaunchKernelGGL(kernel, ...) hipLaunchKernelGGLInternal((kernel), __VA_ARGS__)
#define PASTA_HIP_LAUNCH(kernel, ...) ::hip_emulation::start_with(kernel, __VA_ARGS__)

#endif
