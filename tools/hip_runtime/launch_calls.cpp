// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The runtime's functions that launch, in front of the runtime's own.
#pragma GCC visibility push(default)
#include <hip/hip_runtime_api.h>
#pragma GCC visibility pop

#include "follow_launch.hpp"
#include "next_call.hpp"

namespace {

pasta::launch_shape shape_of(dim3 grid, dim3 block, std::size_t shared_bytes) {
  return {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes};
}

/// The calls that name a grid in threads.
dim3 blocks_of(dim3 threads, dim3 block) {
  auto const count = [](unsigned all, unsigned each) { return each == 0 ? 0 : (all + each - 1) / each; };
  return {count(threads.x, block.x), count(threads.y, block.y), count(threads.z, block.z)};
}

}  // namespace

using pasta::hip_runtime::follow_launch;

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
// Their sizes are those of the whole grid [threads].
hipError_t hipExtModuleLaunchKernel(hipFunction_t function, std::uint32_t x, std::uint32_t y, std::uint32_t z,
                                    std::uint32_t block_x, std::uint32_t block_y, std::uint32_t block_z,
                                    std::size_t shared_bytes, hipStream_t stream, void** parameters, void** extra,
                                    hipEvent_t begin, hipEvent_t end, std::uint32_t flags) {
  dim3 const block(block_x, block_y, block_z);
  return follow_launch(function, shape_of(blocks_of({x, y, z}, block), block, shared_bytes), stream, [&] {
    return PASTA_DETAIL_NEXT(hipExtModuleLaunchKernel, function, x, y, z, block_x, block_y, block_z, shared_bytes,
                             stream, parameters, extra, begin, end, flags);
  });
}
hipError_t hipHccModuleLaunchKernel(hipFunction_t function, std::uint32_t x, std::uint32_t y, std::uint32_t z,
                                    std::uint32_t block_x, std::uint32_t block_y, std::uint32_t block_z,
                                    std::size_t shared_bytes, hipStream_t stream, void** parameters, void** extra,
                                    hipEvent_t begin, hipEvent_t end) {
  dim3 const block(block_x, block_y, block_z);
  return follow_launch(function, shape_of(blocks_of({x, y, z}, block), block, shared_bytes), stream, [&] {
    return PASTA_DETAIL_NEXT(hipHccModuleLaunchKernel, function, x, y, z, block_x, block_y, block_z, shared_bytes,
                             stream, parameters, extra, begin, end);
  });
}
}
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming)
