// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Kernels in graphs: a graph that can be launched is asked for its nodes once, and each launch counts for all of them.
#include "collector.hpp"

namespace pasta::ptx {

namespace {

constexpr int max_depth = 32;  // of graphs within graphs

launch_shape shape_of(CUDA_KERNEL_NODE_PARAMS const& node) {
  return {{node.gridDimX, node.gridDimY, node.gridDimZ},
          {node.blockDimX, node.blockDimY, node.blockDimZ},
          node.sharedMemBytes};
}

}  // namespace

void collector::collect_nodes(CUgraph graph, CUcontext context, std::uint32_t context_uid, graph_record& into,
                              int depth) {
  std::size_t count = 0;
  if (depth > max_depth || driver_.cuGraphGetNodes_(graph, nullptr, &count) != CUDA_SUCCESS || count == 0) return;
  std::vector<CUgraphNode> nodes(count);
  if (driver_.cuGraphGetNodes_(graph, nodes.data(), &count) != CUDA_SUCCESS) return;
  nodes.resize(count);
  for (auto* const node : nodes) {
    CUgraphNodeType type{};
    if (driver_.cuGraphNodeGetType_(node, &type) != CUDA_SUCCESS) continue;
    constexpr int conditional = 13;  // CU_GRAPH_NODE_TYPE_CONDITIONAL since CUDA 12.3
    if (type == CU_GRAPH_NODE_TYPE_GRAPH) {
      CUgraph child = nullptr;
      if (driver_.cuGraphChildGraphNodeGetGraph_(node, &child) == CUDA_SUCCESS)
        collect_nodes(child, context, context_uid, into, depth + 1);
    } else if (static_cast<int>(type) == conditional) {
      add_note("A graph has conditional nodes: launches of kernels in them are not counted, what they do may be.");
    } else if (type == CU_GRAPH_NODE_TYPE_KERNEL) {
      CUDA_KERNEL_NODE_PARAMS parameters{};
      if (driver_.cuGraphKernelNodeGetParams_(node, &parameters) != CUDA_SUCCESS) continue;
      into.nodes[node] = &find_node(parameters, context, context_uid);
    }
  }
}

function_record& collector::find_node(CUDA_KERNEL_NODE_PARAMS const& parameters, CUcontext context,
                                      std::uint32_t context_uid) {
  auto* const function = parameters.func != nullptr ? parameters.func : reinterpret_cast<CUfunction>(parameters.kern);
  launch_shape const shape = shape_of(parameters);
  function_record& record = find(function, context, context_uid, nullptr, shape);
  record.plain.see_shape(shape);
  return record;
}

void collector::count_nodes(graph_record& of) {
  std::map<function_record*, std::uint64_t> counts;
  for (auto const& [node, record] : of.nodes) ++counts[record];
  of.counts.clear();
  of.counts.reserve(counts.size());
  for (auto const& [function, count] : counts) of.counts.push_back({function, count});
}

void collector::graph_made(CUgraphExec exec, CUgraph graph, CUcontext context, std::uint32_t context_uid) {
  capture_relaxed const relaxed(driver_);
  graph_record made;
  collect_nodes(graph, context, context_uid, made, 0);
  count_nodes(made);
  std::lock_guard const lock(graphs_mutex_);
  graphs_[exec] = std::move(made);
}

void collector::graph_node_changed(CUgraphExec exec, CUgraphNode node, CUDA_KERNEL_NODE_PARAMS const& parameters,
                                   CUcontext context, std::uint32_t context_uid) {
  function_record& record = find_node(parameters, context, context_uid);
  std::lock_guard const lock(graphs_mutex_);
  auto const known = graphs_.find(exec);
  if (known == graphs_.end()) return;
  known->second.nodes[node] = &record;
  count_nodes(known->second);
}

std::vector<collector::launched> collector::launches_of(CUgraphExec exec) {
  std::lock_guard const lock(graphs_mutex_);
  auto const known = graphs_.find(exec);
  return known == graphs_.end() ? std::vector<launched>() : known->second.counts;
}

void collector::graph_destroyed(CUgraphExec exec) {
  std::lock_guard const lock(graphs_mutex_);
  graphs_.erase(exec);
}

}  // namespace pasta::ptx
