// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What newer HIP runtimes (6 and 7) have and HIP 5.2's headers have not: as AMD documents it, under names of our own,
/// so that headers of any version can be included beside it.
#ifndef PASTA_TOOLS_HIP_RUNTIME_NEWER_CALLS_HPP
#define PASTA_TOOLS_HIP_RUNTIME_NEWER_CALLS_HPP

#include <hip/hip_runtime_api.h>

#include <cstddef>

namespace pasta::hip_runtime::newer {

/// A hipLaunchConfig_t. Attributes change how a kernel is launched, not which.
struct launch_config {
  ::dim3 grid, block;
  std::size_t shared_bytes;
  hipStream_t stream;
  void* attributes;
  unsigned attribute_count;
};

/// A HIP_LAUNCH_CONFIG.
struct function_launch_config {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  hipStream_t stream;
  void* attributes;
  unsigned attribute_count;
};

/// A hipFunctionLaunchParams.
struct function_launch {
  hipFunction_t function;
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  hipStream_t stream;
  void** parameters;
};

/// A hipGraphNodeParams of a kernel.
struct graph_node {
  hipGraphNodeType type;
  int reserved[3];
  hipKernelNodeParams kernel;
};

using library = struct library_handle*;        // a hipLibrary_t
using library_kernel = struct kernel_handle*;  // a hipKernel_t

}  // namespace pasta::hip_runtime::newer
#endif
