// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The runtime's functions that make and launch graphs, in front of the runtime's own.
#pragma GCC visibility push(default)
#include <hip/hip_runtime_api.h>
#pragma GCC visibility pop

#include <algorithm>
#include <optional>
#include <vector>

#include "follow_launch.hpp"
#include "newer_calls.hpp"
#include "next_call.hpp"

namespace {

using namespace pasta::hip_runtime;

run* following(followed_call const& call) { return call.is_outermost() ? run::active() : nullptr; }

/// A call that makes a graph that can be launched, or changes it to another.
template <class Call>
hipError_t follow_graph(hipGraphExec_t const* exec, hipGraph_t graph, Call&& call) {
  followed_call const own;
  run* const here = following(own);
  hipError_t const result = call();
  if (result == hipSuccess) for_run(here, [&](run& to) { to.collector().graph_made(*exec, graph); });
  return result;
}

// @param parameters null: of no kernel
template <class Call>
hipError_t follow_node(hipGraphExec_t exec, hipGraphNode_t node, hipKernelNodeParams const* parameters, Call&& call) {
  followed_call const own;
  run* const here = following(own);
  hipError_t const result = call();
  if (result == hipSuccess && parameters != nullptr)
    for_run(here, [&](run& to) { to.collector().graph_node_changed(exec, node, *parameters); });
  return result;
}

template <class Call>
hipError_t follow_graph_launch(hipGraphExec_t exec, hipStream_t stream, Call&& call) {
  followed_call const own;
  run* const here = following(own);
  std::vector<collector::launched> launches;
  std::optional<collector::launches_under_way> apart;
  for_run(here, [&](run& to) {
    // Within another graph it is none.
    if (to.collector().is_capturing(stream)) return;
    launches = to.collector().launches_of(exec, stream);
    bool const is_any_apart = std::any_of(launches.begin(), launches.end(), [&](collector::launched const& each) {
      return to.collector().is_any_apart(*each.kernel);
    });
    if (is_any_apart) {
      apart = to.collector().launches_begin(launches, stream);
      to.collector().prepare_shadow(*apart);
    } else {
      for (collector::launched const& each : launches) to.collector().prepare_shadow(*each.kernel);
    }
  });
  hipError_t const result = call();
  for_run(here, [&](run& to) {
    if (apart) return to.collector().launches_end(*apart, outcome_of(result));
    if (result != hipSuccess) return;
    for (collector::launched const& each : launches) to.collector().see_launches(*each.kernel, each.shape, stream);
  });
  return result;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
#pragma GCC visibility push(default)
extern "C" {

hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t* error_node, char* log,
                               std::size_t log_bytes) {
  return follow_graph(exec, graph,
                      [&] { return PASTA_DETAIL_NEXT(hipGraphInstantiate, exec, graph, error_node, log, log_bytes); });
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* exec, hipGraph_t graph, unsigned long long flags) {
  return follow_graph(exec, graph, [&] { return PASTA_DETAIL_NEXT(hipGraphInstantiateWithFlags, exec, graph, flags); });
}
hipError_t hipGraphInstantiateWithParams(hipGraphExec_t* exec, hipGraph_t graph, void* parameters) {
  return follow_graph(exec, graph,
                      [&] { return PASTA_DETAIL_NEXT(hipGraphInstantiateWithParams, exec, graph, parameters); });
}
hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t* error_node,
                              hipGraphExecUpdateResult* how) {
  return follow_graph(&exec, graph,
                      [&] { return PASTA_DETAIL_NEXT(hipGraphExecUpdate, exec, graph, error_node, how); });
}
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           hipKernelNodeParams const* parameters) {
  return follow_node(exec, node, parameters,
                     [&] { return PASTA_DETAIL_NEXT(hipGraphExecKernelNodeSetParams, exec, node, parameters); });
}
hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, newer::graph_node* parameters) {
  bool const is_kernel = parameters != nullptr && parameters->type == hipGraphNodeTypeKernel;
  return follow_node(exec, node, is_kernel ? &parameters->kernel : nullptr,
                     [&] { return PASTA_DETAIL_NEXT(hipGraphExecNodeSetParams, exec, node, parameters); });
}
hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  for_run(run::existing(), [&](run& to) { to.collector().graph_destroyed(exec); });
  return PASTA_DETAIL_NEXT(hipGraphExecDestroy, exec);
}
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  return follow_graph_launch(exec, stream, [&] { return PASTA_DETAIL_NEXT(hipGraphLaunch, exec, stream); });
}
hipError_t hipGraphLaunch_spt(hipGraphExec_t exec, hipStream_t stream) {
  return follow_graph_launch(exec, stream, [&] { return PASTA_DETAIL_NEXT(hipGraphLaunch_spt, exec, stream); });
}
}
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming)
