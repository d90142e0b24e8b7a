// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The runtime's functions that launch, in front of the runtime's own.
#pragma GCC visibility push(default)
#include <hip/hip_runtime_api.h>
#pragma GCC visibility pop

#include "follow_launch.hpp"
#include "newer_calls.hpp"
#include "next_call.hpp"

namespace {

using namespace pasta::hip_runtime;

pasta::launch_shape shape_of(dim3 grid, dim3 block, std::size_t shared_bytes) {
  return {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes};
}

/// The calls that name a grid in threads.
dim3 blocks_of(dim3 threads, dim3 block) {
  auto const count = [](unsigned all, unsigned each) { return each == 0 ? 0 : (all + each - 1) / each; };
  return {count(threads.x, block.x), count(threads.y, block.y), count(threads.z, block.z)};
}

// Of a function_launch or function_launch_config.
template <class Launch>
pasta::launch_shape shape_of(Launch const& of) {
  return {{of.grid_x, of.grid_y, of.grid_z}, {of.block_x, of.block_y, of.block_z}, of.shared_bytes};
}

template <class Call>
hipError_t follow_each(hipLaunchParams const* all, int count, Call&& call) {
  return follow_launches(
      all == nullptr ? 0 : count,
      [&](int i) {
        return followed_launch{all[i].func, shape_of(all[i].gridDim, all[i].blockDim, all[i].sharedMem), all[i].stream};
      },
      call);
}

}  // namespace

// Their sizes are those of the whole grid [threads].
#define PASTA_DETAIL_EXT_PARAMETERS                                                                                  \
  hipFunction_t function, std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t block_x,                  \
      std::uint32_t block_y, std::uint32_t block_z, std::size_t shared_bytes, hipStream_t stream, void **parameters, \
      void **extra, hipEvent_t begin, hipEvent_t end
#define PASTA_DETAIL_EXT_ARGUMENTS \
  function, x, y, z, block_x, block_y, block_z, shared_bytes, stream, parameters, extra, begin, end
#define PASTA_DETAIL_FOLLOW_EXT(...)                                                                                  \
  follow_launch(                                                                                                      \
      function,                                                                                                       \
      shape_of(blocks_of({x, y, z}, {block_x, block_y, block_z}), {block_x, block_y, block_z}, shared_bytes), stream, \
      [&] { return __VA_ARGS__; })

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
#pragma GCC visibility push(default)
extern "C" {

hipError_t hipLaunchKernel(void const* function, dim3 grid, dim3 block, void** parameters, std::size_t shared_bytes,
                           hipStream_t stream) {
  return follow_launch(function, shape_of(grid, block, shared_bytes), stream, [&] {
    return PASTA_DETAIL_NEXT(hipLaunchKernel, function, grid, block, parameters, shared_bytes, stream);
  });
}
hipError_t hipLaunchKernel_spt(void const* function, dim3 grid, dim3 block, void** parameters, std::size_t shared_bytes,
                               hipStream_t stream) {
  return follow_launch(function, shape_of(grid, block, shared_bytes), stream, [&] {
    return PASTA_DETAIL_NEXT(hipLaunchKernel_spt, function, grid, block, parameters, shared_bytes, stream);
  });
}
hipError_t hipLaunchCooperativeKernel(void const* function, dim3 grid, dim3 block, void** parameters,
                                      unsigned shared_bytes, hipStream_t stream) {
  return follow_launch(function, shape_of(grid, block, shared_bytes), stream, [&] {
    return PASTA_DETAIL_NEXT(hipLaunchCooperativeKernel, function, grid, block, parameters, shared_bytes, stream);
  });
}
hipError_t hipLaunchCooperativeKernel_spt(void const* function, dim3 grid, dim3 block, void** parameters,
                                          unsigned shared_bytes, hipStream_t stream) {
  return follow_launch(function, shape_of(grid, block, shared_bytes), stream, [&] {
    return PASTA_DETAIL_NEXT(hipLaunchCooperativeKernel_spt, function, grid, block, parameters, shared_bytes, stream);
  });
}
hipError_t hipExtLaunchKernel(void const* function, dim3 grid, dim3 block, void** parameters, std::size_t shared_bytes,
                              hipStream_t stream, hipEvent_t begin, hipEvent_t end, int flags) {
  return follow_launch(function, shape_of(grid, block, shared_bytes), stream, [&] {
    return PASTA_DETAIL_NEXT(hipExtLaunchKernel, function, grid, block, parameters, shared_bytes, stream, begin, end,
                             flags);
  });
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                 hipStream_t stream, void** parameters, void** extra) {
  return follow_launch(function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, stream, [&] {
    return PASTA_DETAIL_NEXT(hipModuleLaunchKernel, function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                             shared_bytes, stream, parameters, extra);
  });
}
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                            hipStream_t stream, void** parameters) {
  return follow_launch(function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, stream, [&] {
    return PASTA_DETAIL_NEXT(hipModuleLaunchCooperativeKernel, function, grid_x, grid_y, grid_z, block_x, block_y,
                             block_z, shared_bytes, stream, parameters);
  });
}
hipError_t hipLaunchKernelExC(newer::launch_config const* config, void const* function, void** parameters) {
  auto const launch = [&] { return PASTA_DETAIL_NEXT(hipLaunchKernelExC, config, function, parameters); };
  if (config == nullptr) return launch();
  return follow_launch(function, shape_of(config->grid, config->block, config->shared_bytes), config->stream, launch);
}
hipError_t hipDrvLaunchKernelEx(newer::function_launch_config const* config, hipFunction_t function, void** parameters,
                                void** extra) {
  auto const launch = [&] { return PASTA_DETAIL_NEXT(hipDrvLaunchKernelEx, config, function, parameters, extra); };
  return config == nullptr ? launch() : follow_launch(function, shape_of(*config), config->stream, launch);
}

// One kernel on each of several devices.
hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams* all, int count, unsigned flags) {
  return follow_each(all, count,
                     [&] { return PASTA_DETAIL_NEXT(hipLaunchCooperativeKernelMultiDevice, all, count, flags); });
}
hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams* all, int count, unsigned flags) {
  return follow_each(all, count,
                     [&] { return PASTA_DETAIL_NEXT(hipExtLaunchMultiKernelMultiDevice, all, count, flags); });
}
hipError_t hipModuleLaunchCooperativeKernelMultiDevice(newer::function_launch* all, unsigned count, unsigned flags) {
  return follow_launches(
      all == nullptr ? 0 : static_cast<int>(count),
      [&](int i) {
        return followed_launch{all[i].function, shape_of(all[i]), all[i].stream};
      },
      [&] { return PASTA_DETAIL_NEXT(hipModuleLaunchCooperativeKernelMultiDevice, all, count, flags); });
}

// Runtimes have these with C++'s names (HIP 5 and 6), others may have them with C's.
hipError_t ext_launch_of_c(PASTA_DETAIL_EXT_PARAMETERS, std::uint32_t flags) __asm__("hipExtModuleLaunchKernel");
hipError_t ext_launch_of_c(PASTA_DETAIL_EXT_PARAMETERS, std::uint32_t flags) {
  return PASTA_DETAIL_FOLLOW_EXT(PASTA_DETAIL_NEXT(hipExtModuleLaunchKernel, PASTA_DETAIL_EXT_ARGUMENTS, flags));
}
hipError_t hcc_launch_of_c(PASTA_DETAIL_EXT_PARAMETERS) __asm__("hipHccModuleLaunchKernel");
hipError_t hcc_launch_of_c(PASTA_DETAIL_EXT_PARAMETERS) {
  return PASTA_DETAIL_FOLLOW_EXT(PASTA_DETAIL_NEXT(hipHccModuleLaunchKernel, PASTA_DETAIL_EXT_ARGUMENTS));
}
}

hipError_t hipExtModuleLaunchKernel(PASTA_DETAIL_EXT_PARAMETERS, std::uint32_t flags) {
  return PASTA_DETAIL_FOLLOW_EXT(
      PASTA_DETAIL_NEXT(_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j,
                        PASTA_DETAIL_EXT_ARGUMENTS, flags));
}
hipError_t hipHccModuleLaunchKernel(PASTA_DETAIL_EXT_PARAMETERS) {
  return PASTA_DETAIL_FOLLOW_EXT(
      PASTA_DETAIL_NEXT(_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_,
                        PASTA_DETAIL_EXT_ARGUMENTS));
}
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming)
