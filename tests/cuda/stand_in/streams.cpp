// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Memory, streams, events, graphs.
#include <time.h>

#include <algorithm>
#include <cstring>

#include "state.hpp"

namespace cuda_stand_in {

namespace {

void* begin_of(std::uint64_t address) { return reinterpret_cast<void*>(address); }
std::uint64_t address_of(void const* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

// On which device an address lies; null for the host's memory.
device* holder_of(void const* pointer, std::size_t bytes) {
  for (device& each : all().devices) {
    if (each.memory.has(address_of(pointer), bytes)) return &each;
  }
  return nullptr;
}

CUstream_st& make_stream(bool is_blocking) {
  CUstream_st& made = all().streams.emplace_back();
  made.device = mine.device;
  made.context = here().context;
  made.is_blocking = is_blocking;
  return made;
}

}  // namespace

CUstream_st* stream_of(cudaStream_t handle) {
  if (handle == nullptr) {
    CUstream_st*& one = here().default_stream;
    if (one == nullptr) one = &make_stream(true);
    return one;
  }
  return handle->device == mine.device && handle->context == here().context ? handle : nullptr;
}

cudaError_t enqueue(CUstream_st& stream, std::function<void(CUstream_st&)> work) {
  if (stream.captures != nullptr) {
    stream.captures->work.push_back(std::move(work));
    return cudaSuccess;
  }
  device& on = all().devices[static_cast<std::size_t>(stream.device)];
  on.queue.push_back({&stream, std::move(work)});
  // A launch does not tell what becomes of it.
  if (!all().is_held) static_cast<void>(finish(on, &stream));
  return cudaSuccess;
}

cudaError_t finish(device& on, CUstream_st const* stream) {
  for (auto next = on.queue.begin(); next != on.queue.end() && on.broken == cudaSuccess;) {
    bool const is_before =
        stream == nullptr || next->stream == stream || (next->stream->is_blocking && stream->is_blocking);
    if (!is_before) {
      ++next;
      continue;
    }
    waiting_work const one = std::move(*next);
    next = on.queue.erase(next);
    one.stream->clock_ns = std::max(one.stream->clock_ns, now_ns(CLOCK_MONOTONIC));
    one.run(*one.stream);
  }
  return on.broken;
}
cudaError_t finish_all(device& on) { return finish(on, nullptr); }

}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cudaError_t CUDARTAPI cudaMalloc(void** memory, std::size_t bytes) {
  return call("cudaMalloc", needs::no_capture, [&] {
    if (bytes == 0) return *memory = nullptr, cudaSuccess;
    device& on = here();
    if (bytes > on.memory_bytes || on.used_bytes > on.memory_bytes - bytes) return cudaErrorMemoryAllocation;
    on.used_bytes += bytes;
    *memory = begin_of(on.memory.allocate(bytes));
    return cudaSuccess;
  });
}
// Waits for the device, and frees what lies on any.
cudaError_t CUDARTAPI cudaFree(void* memory) {
  return call("cudaFree", needs::no_capture, [&] {
    if (memory == nullptr) return cudaSuccess;
    for (device& each : all().devices) {
      std::size_t const bytes = each.memory.size_of(address_of(memory));
      if (bytes == 0) continue;
      cudaError_t const error = finish_all(each);
      each.memory.free(address_of(memory));
      each.used_bytes -= bytes;
      return error;
    }
    return cudaErrorInvalidValue;
  });
}
cudaError_t CUDARTAPI cudaMemGetInfo(std::size_t* left, std::size_t* bytes) {
  return call("cudaMemGetInfo", needs::context, [&] {
    *left = here().memory_bytes - here().used_bytes;
    *bytes = here().memory_bytes;
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaMemcpy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind) {
  return call("cudaMemcpy", needs::no_capture, [&] {
    if (cudaError_t const error = finish(here(), stream_of(nullptr)); error != cudaSuccess) return error;
    for (device* const holder : {holder_of(to, 1), holder_of(from, 1)}) {
      if (holder == nullptr) continue;
      if (cudaError_t const error = finish_all(*holder); error != cudaSuccess) return error;
    }
    std::memmove(to, from, bytes);
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind,
                                      cudaStream_t handle) {
  return call("cudaMemcpyAsync", needs::context, [&] {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return enqueue(*stream, [=](CUstream_st&) { std::memmove(to, from, bytes); });
  });
}
cudaError_t CUDARTAPI cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t handle) {
  return call("cudaMemsetAsync", needs::context, [&] {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (!here().memory.has(address_of(memory), bytes)) return cudaErrorInvalidValue;
    return enqueue(*stream, [=](CUstream_st&) { std::memset(memory, value, bytes); });
  });
}
cudaError_t CUDARTAPI cudaMemset(void* memory, int value, std::size_t bytes) {
  return call("cudaMemset", needs::context, [&] {
    if (!here().memory.has(address_of(memory), bytes)) return cudaErrorInvalidValue;
    return enqueue(*stream_of(nullptr), [=](CUstream_st&) { std::memset(memory, value, bytes); });
  });
}

cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t* made, unsigned flags) {
  return call("cudaStreamCreateWithFlags", needs::context, [&] {
    *made = &make_stream(flags != cudaStreamNonBlocking);
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaStreamCreate(cudaStream_t* made) {
  return cudaStreamCreateWithFlags(made, cudaStreamDefault);
}
cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t handle) {
  return call("cudaStreamDestroy", needs::context, [&] {
    return handle == nullptr || stream_of(handle) == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t handle) {
  return call("cudaStreamSynchronize", needs::no_capture, [&] {
    CUstream_st* const stream = stream_of(handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : finish(here(), stream);
  });
}

cudaError_t CUDARTAPI cudaEventCreate(cudaEvent_t* made) {
  return call("cudaEventCreate", needs::context, [&] {
    *made = &all().events.emplace_back();
    (*made)->context = here().context;
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t) {
  return call("cudaEventDestroy", needs::context, [] { return cudaSuccess; });
}
cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  return call("cudaEventRecord", needs::context, [&] {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr || event->context != here().context) return cudaErrorInvalidResourceHandle;
    event->state = CUevent_st::waits;
    event->stream = stream;
    return enqueue(*stream, [=](CUstream_st& on) {
      event->state = CUevent_st::happened;
      event->at_ns = on.clock_ns;
    });
  });
}
// The event's own context counts, not the thread's.
cudaError_t CUDARTAPI cudaEventQuery(cudaEvent_t event) {
  return call("cudaEventQuery", needs::context, [&] {
    if (event->context != here().context) return cudaErrorInvalidResourceHandle;
    return event->state == CUevent_st::waits ? cudaErrorNotReady : cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t event) {
  return call("cudaEventSynchronize", needs::no_capture, [&] {
    if (event->context != here().context) return cudaErrorInvalidResourceHandle;
    return event->stream == nullptr ? cudaSuccess : finish(here(), event->stream);
  });
}
cudaError_t CUDARTAPI cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return call("cudaEventElapsedTime", needs::context, [&] {
    if (begin->context != here().context || end->context != here().context) return cudaErrorInvalidResourceHandle;
    if (begin->state == CUevent_st::never || end->state == CUevent_st::never) return cudaErrorInvalidResourceHandle;
    if (begin->state == CUevent_st::waits || end->state == CUevent_st::waits) return cudaErrorNotReady;
    *milliseconds = static_cast<float>((static_cast<double>(end->at_ns) - static_cast<double>(begin->at_ns)) / 1e6);
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call("cudaThreadExchangeStreamCaptureMode", needs::driver, [&] {
    std::swap(*mode, mine.mode);
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return call("cudaStreamIsCapturing", needs::context, [&] {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    *status = stream->captures != nullptr ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
  return call("cudaStreamBeginCapture", needs::context, [&] {
    handle->captures = new CUgraph_st;
    ++all().captures;
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* made) {
  return call("cudaStreamEndCapture", needs::context, [&] {
    *made = std::exchange(handle->captures, nullptr);
    --all().captures;
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t from, unsigned long long) {
  return call("cudaGraphInstantiate", needs::context, [&] {
    *made = new CUgraphExec_st{*from};
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t handle) {
  return call("cudaGraphLaunch", needs::context, [&] {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    for (auto const& work : graph->work) static_cast<void>(enqueue(*stream, work));
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

}  // extern "C"
