// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The runtime's functions that say something of a whole device or stream, in front of the runtime's own.
#pragma GCC visibility push(default)
#include <hip/hip_runtime_api.h>
#pragma GCC visibility pop

#include <optional>

#include "follow_launch.hpp"
#include "next_call.hpp"

namespace {

using pasta::hip_runtime::collector;
using pasta::hip_runtime::followed_call;
using pasta::hip_runtime::for_run;
using pasta::hip_runtime::run;

/// The run, if the program made the call and something is collected.
run* following(followed_call const& call) {
  run* const here = call.is_outermost() ? run::existing() : nullptr;
  return here != nullptr && !here->is_over() ? here : nullptr;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
#pragma GCC visibility push(default)
extern "C" {

hipError_t hipDeviceSynchronize() {
  followed_call const own;
  run* const here = following(own);
  std::optional<collector::device_wait> wait;
  for_run(here, [&](run& of) { wait.emplace(of.collector()); });
  static constinit pasta::hip_runtime::next_function next("hipDeviceSynchronize");
  hipError_t const result = next.call(hipErrorNotInitialized);
  if (result == hipSuccess && wait) for_run(here, [&](run&) { wait->ended(); });
  return result;
}
hipError_t hipDeviceReset() {
  followed_call const own;
  for_run(following(own), [](run& of) { of.collector().device_gone(); });
  static constinit pasta::hip_runtime::next_function next("hipDeviceReset");
  return next.call(hipErrorNotInitialized);
}
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  collector::capture_begins();
  return PASTA_DETAIL_NEXT(hipStreamBeginCapture, stream, mode);
}
hipError_t hipStreamBeginCapture_spt(hipStream_t stream, hipStreamCaptureMode mode) {
  collector::capture_begins();
  return PASTA_DETAIL_NEXT(hipStreamBeginCapture_spt, stream, mode);
}
// Since ROCm 6.1. @param edges a structure that older headers do not have
hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph, hipGraphNode_t const* behind,
                                        void const* edges, std::size_t count, hipStreamCaptureMode mode) {
  collector::capture_begins();
  return PASTA_DETAIL_NEXT(hipStreamBeginCaptureToGraph, stream, graph, behind, edges, count, mode);
}
}
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming)
