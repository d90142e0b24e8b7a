// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The HIP runtime's functions that launch and allocate, in front of the runtime's own: what a program does that knows
/// nothing of PASTA reaches the sink (vendor/traits.hpp). For one file of a shared library that is loaded before the
/// runtime (LD_PRELOAD); any C++ compiler, with -D__HIP_PLATFORM_AMD__. Not with pasta::buffer and pasta::launch, which
/// are hooks themselves.
#ifndef PASTA_VENDOR_HIP_INTERPOSE_HPP
#define PASTA_VENDOR_HIP_INTERPOSE_HPP

#include <dlfcn.h>
#include <hip/hip_runtime_api.h>

#include <pasta/vendor/hip/capture.hpp>
#include <pasta/vendor/hip/memory.hpp>

namespace pasta::detail {
/// Calls the runtime's function; its error where the process has no runtime. Parameters have the arguments' types.
template <class... Parameters>
hipError_t call_next(void* function, Parameters... parameters) {
  if (function == nullptr) return hipErrorNotInitialized;
  return reinterpret_cast<hipError_t (*)(Parameters...)>(function)(parameters...);
}
}  // namespace pasta::detail

// A function of the runtime's, what is done before it and after it has succeeded, and its arguments.
#define PASTA_DETAIL_HIP(name, parameters, before, after, ...)            \
  extern "C" hipError_t name parameters {                                 \
    static void* const next = ::dlsym(RTLD_NEXT, #name);                  \
    before;                                                               \
    hipError_t const error = pasta::detail::call_next(next, __VA_ARGS__); \
    if (error == hipSuccess) after;                                       \
    return error;                                                         \
  }
#define PASTA_DETAIL_HIP_LAUNCH(name, parameters, grid, block, ...)                                                    \
  PASTA_DETAIL_HIP(name, parameters, pasta::capture_kernel<pasta::vendor::hip>{}(pasta::dim3 grid, pasta::dim3 block), \
                   void(), __VA_ARGS__)
#define PASTA_DETAIL_HIP_LAUNCH_ALIKE(name, size)                                                             \
  PASTA_DETAIL_HIP_LAUNCH(                                                                                    \
      name, (void const* function, dim3 grid, dim3 block, void** all, size shared_bytes, hipStream_t stream), \
      (grid.x, grid.y, grid.z), (block.x, block.y, block.z), function, grid, block, all, shared_bytes, stream)
#define PASTA_DETAIL_HIP_ALLOCATE(name, parameters, ...) \
  PASTA_DETAIL_HIP(name, parameters, void(), pasta::track_memory<pasta::vendor::hip>{}(*memory, bytes), __VA_ARGS__)
#define PASTA_DETAIL_HIP_RELEASE(name, parameters, ...) \
  PASTA_DETAIL_HIP(name, parameters, pasta::track_memory<pasta::vendor::hip>{}(memory, 0), void(), __VA_ARGS__)

PASTA_DETAIL_HIP_LAUNCH_ALIKE(hipLaunchKernel, std::size_t)
PASTA_DETAIL_HIP_LAUNCH_ALIKE(hipLaunchKernel_spt, std::size_t)
PASTA_DETAIL_HIP_LAUNCH_ALIKE(hipLaunchCooperativeKernel, unsigned)
PASTA_DETAIL_HIP_LAUNCH_ALIKE(hipLaunchCooperativeKernel_spt, unsigned)
PASTA_DETAIL_HIP_LAUNCH(hipExtLaunchKernel,
                        (void const* function, dim3 grid, dim3 block, void** all, std::size_t shared_bytes,
                         hipStream_t stream, hipEvent_t begin, hipEvent_t end, int flags),
                        (grid.x, grid.y, grid.z), (block.x, block.y, block.z), function, grid, block, all, shared_bytes,
                        stream, begin, end, flags)
PASTA_DETAIL_HIP_LAUNCH(hipModuleLaunchKernel,
                        (hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                         unsigned block_y, unsigned block_z, unsigned shared_bytes, hipStream_t stream, void** all,
                         void** extra),
                        (grid_x, grid_y, grid_z), (block_x, block_y, block_z), function, grid_x, grid_y, grid_z,
                        block_x, block_y, block_z, shared_bytes, stream, all, extra)

PASTA_DETAIL_HIP_ALLOCATE(hipMalloc, (void** memory, std::size_t bytes), memory, bytes)
PASTA_DETAIL_HIP_ALLOCATE(hipMallocManaged, (void** memory, std::size_t bytes, unsigned flags), memory, bytes, flags)
PASTA_DETAIL_HIP_ALLOCATE(hipMallocAsync, (void** memory, std::size_t bytes, hipStream_t stream), memory, bytes, stream)
PASTA_DETAIL_HIP_RELEASE(hipFree, (void* memory), memory)
PASTA_DETAIL_HIP_RELEASE(hipFreeAsync, (void* memory, hipStream_t stream), memory, stream)

#endif
