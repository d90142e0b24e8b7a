// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Kernels in graphs: a graph that can be launched is asked for its nodes once, and each launch counts for all of them.
#include "collector.hpp"

namespace pasta::hip_runtime {

namespace {

constexpr int max_depth = 32;  // of graphs within graphs

}  // namespace

void collector::collect_nodes(hipGraph_t graph, std::vector<graph_kernel>& into, int depth) const {
  std::size_t count = 0;
  if (depth > max_depth || runtime_.get_nodes(graph, nullptr, &count) != hipSuccess || count == 0) return;
  std::vector<hipGraphNode_t> nodes(count);
  if (runtime_.get_nodes(graph, nodes.data(), &count) != hipSuccess) return;
  nodes.resize(count);
  for (auto* const node : nodes) {
    hipGraphNodeType type{};
    if (runtime_.get_node_type(node, &type) != hipSuccess) continue;
    if (type == hipGraphNodeTypeGraph) {
      hipGraph_t child = nullptr;
      if (runtime_.get_child_graph(node, &child) == hipSuccess) collect_nodes(child, into, depth + 1);
    } else if (type == hipGraphNodeTypeKernel) {
      hipKernelNodeParams parameters{};
      if (runtime_.get_kernel_node(node, &parameters) == hipSuccess)
        into.push_back({node, parameters.func, shape_of(parameters)});
    }
  }
}

launch_shape collector::shape_of(hipKernelNodeParams const& node) {
  return {{node.gridDim.x, node.gridDim.y, node.gridDim.z},
          {node.blockDim.x, node.blockDim.y, node.blockDim.z},
          node.sharedMemBytes};
}

void collector::graph_made(hipGraphExec_t exec, hipGraph_t graph) {
  if (!runtime_.has_graphs()) return;
  std::vector<graph_kernel> kernels;
  collect_nodes(graph, kernels, 0);
  std::lock_guard const lock(graphs_mutex_);
  graphs_[exec] = std::move(kernels);
}

void collector::graph_node_changed(hipGraphExec_t exec, hipGraphNode_t node, hipKernelNodeParams const& parameters) {
  std::lock_guard const lock(graphs_mutex_);
  auto const known = graphs_.find(exec);
  if (known == graphs_.end()) return;
  for (graph_kernel& each : known->second) {
    if (each.node == node) each = {node, parameters.func, shape_of(parameters)};
  }
}

void collector::graph_destroyed(hipGraphExec_t exec) {
  std::lock_guard const lock(graphs_mutex_);
  graphs_.erase(exec);
}

std::vector<collector::launched> collector::launches_of(hipGraphExec_t exec, hipStream_t stream) {
  std::vector<graph_kernel> kernels;
  {
    std::lock_guard const lock(graphs_mutex_);
    if (auto const known = graphs_.find(exec); known != graphs_.end()) kernels = known->second;
  }
  std::vector<launched> launches;
  launches.reserve(kernels.size());
  for (graph_kernel const& each : kernels) launches.push_back({&find(each.function, stream, each.shape), each.shape});
  return launches;
}

}  // namespace pasta::hip_runtime
