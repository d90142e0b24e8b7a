// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Parameters of driver calls as CUPTI hands them over: a struct with one member for each parameter, in order.
///
/// CUPTI's own header of them, generated_cuda_meta.h, needs what cuda.h gives only where it names functions without
/// their versions.
#ifndef PASTA_TOOLS_PTX_RUNTIME_CALL_PARAMETERS_HPP
#define PASTA_TOOLS_PTX_RUNTIME_CALL_PARAMETERS_HPP

#include <cuda.h>

namespace pasta::ptx::parameters {

struct launch_kernel {  ///< also cuLaunchCooperativeKernel, which lacks the last
  CUfunction function;
  unsigned int grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  CUstream stream;
  void** arguments;
  void** extra;
};
struct launch_kernel_ex {
  CUlaunchConfig const* config;
  CUfunction function;
  void** arguments;
  void** extra;
};
struct launch_grid {  ///< cuLaunch lacks all but the first, cuLaunchGrid the last
  CUfunction function;
  int width, height;
  CUstream stream;
};
struct graph_instantiate {  ///< what all kinds of it begin with
  CUgraphExec* exec;
  CUgraph graph;
};
struct graph_launch {
  CUgraphExec exec;
  CUstream stream;
};
struct graph_exec_update {  ///< what both versions begin with
  CUgraphExec exec;
  CUgraph graph;
};
struct graph_exec_kernel_node_set {
  CUgraphExec exec;
  CUgraphNode node;
  void const* node_parameters;  ///< CUDA_KERNEL_NODE_PARAMS_v1, or v2 in the second version
};
struct graph_exec_destroy {
  CUgraphExec exec;
};
struct stream_destroy {
  CUstream stream;
};
struct module_unload {
  CUmodule module;
};
struct library_unload {
  CUlibrary library;
};
struct memory_allocate {  ///< what all kinds of it begin with
  CUdeviceptr* made;
  std::size_t bytes;
};
struct memory_allocate_async {
  CUdeviceptr* made;
  std::size_t bytes;
  CUstream stream;
};
struct memory_allocate_from_pool {
  CUdeviceptr* made;
  std::size_t bytes;
  CUmemoryPool pool;
  CUstream stream;
};
struct memory_allocate_pitch {
  CUdeviceptr* made;
  std::size_t* pitch;
  std::size_t width_bytes, height;
};
struct memory_map {
  CUdeviceptr address;
  std::size_t bytes;
};
struct memory_free {  ///< what all kinds of it begin with
  CUdeviceptr address;
};
struct memory_free_async {
  CUdeviceptr address;
  CUstream stream;
};
struct context_destroy {
  CUcontext context;
};
struct primary_context_end {
  CUdevice device;
};

}  // namespace pasta::ptx::parameters
#endif
