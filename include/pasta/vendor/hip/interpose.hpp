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

#define PASTA_DETAIL_NEXT(name, ...)                     \
  [&]() -> hipError_t {                                  \
    static void* const next = ::dlsym(RTLD_NEXT, #name); \
    return pasta::detail::call_next(next, __VA_ARGS__);  \
  }()
#define PASTA_DETAIL_HIP_LAUNCH(name, parameters, grid, block, ...)                   \
  extern "C" hipError_t name parameters {                                             \
    pasta::capture_kernel<pasta::vendor::hip>{}(pasta::dim3 grid, pasta::dim3 block); \
    return PASTA_DETAIL_NEXT(name, __VA_ARGS__);                                      \
  }
#define PASTA_DETAIL_HIP_ALLOCATE(name, parameters, ...)                                \
  extern "C" hipError_t name parameters {                                               \
    hipError_t const error = PASTA_DETAIL_NEXT(name, __VA_ARGS__);                      \
    if (error == hipSuccess) pasta::track_memory<pasta::vendor::hip>{}(*memory, bytes); \
    return error;                                                                       \
  }
#define PASTA_DETAIL_HIP_RELEASE(name, parameters, ...)                          \
  extern "C" hipError_t name parameters {                                        \
    if (memory != nullptr) pasta::track_memory<pasta::vendor::hip>{}(memory, 0); \
    return PASTA_DETAIL_NEXT(name, __VA_ARGS__);                                 \
  }

PASTA_DETAIL_HIP_LAUNCH(hipLaunchKernel,
                        (void const* function, dim3 grid, dim3 block, void** parameters, std::size_t shared_bytes,
                         hipStream_t stream),
                        (grid.x, grid.y, grid.z), (block.x, block.y, block.z), function, grid, block, parameters,
                        shared_bytes, stream)
PASTA_DETAIL_HIP_LAUNCH(hipLaunchCooperativeKernel,
                        (void const* function, dim3 grid, dim3 block, void** parameters, unsigned shared_bytes,
                         hipStream_t stream),
                        (grid.x, grid.y, grid.z), (block.x, block.y, block.z), function, grid, block, parameters,
                        shared_bytes, stream)
PASTA_DETAIL_HIP_LAUNCH(hipExtLaunchKernel,
                        (void const* function, dim3 grid, dim3 block, void** parameters, std::size_t shared_bytes,
                         hipStream_t stream, hipEvent_t begin, hipEvent_t end, int flags),
                        (grid.x, grid.y, grid.z), (block.x, block.y, block.z), function, grid, block, parameters,
                        shared_bytes, stream, begin, end, flags)
PASTA_DETAIL_HIP_LAUNCH(hipModuleLaunchKernel,
                        (hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                         unsigned block_y, unsigned block_z, unsigned shared_bytes, hipStream_t stream,
                         void** parameters, void** extra),
                        (grid_x, grid_y, grid_z), (block_x, block_y, block_z), function, grid_x, grid_y, grid_z,
                        block_x, block_y, block_z, shared_bytes, stream, parameters, extra)

PASTA_DETAIL_HIP_ALLOCATE(hipMalloc, (void** memory, std::size_t bytes), memory, bytes)
PASTA_DETAIL_HIP_ALLOCATE(hipMallocManaged, (void** memory, std::size_t bytes, unsigned flags), memory, bytes, flags)
PASTA_DETAIL_HIP_ALLOCATE(hipMallocAsync, (void** memory, std::size_t bytes, hipStream_t stream), memory, bytes, stream)
PASTA_DETAIL_HIP_RELEASE(hipFree, (void* memory), memory)
PASTA_DETAIL_HIP_RELEASE(hipFreeAsync, (void* memory, hipStream_t stream), memory, stream)

#undef PASTA_DETAIL_NEXT
#undef PASTA_DETAIL_HIP_LAUNCH
#undef PASTA_DETAIL_HIP_ALLOCATE
#undef PASTA_DETAIL_HIP_RELEASE
#endif
