// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the stand-in's functions share.
#ifndef PASTA_TESTS_CUDA_STAND_IN_STATE_HPP
#define PASTA_TESTS_CUDA_STAND_IN_STATE_HPP

#include <cuda_runtime_api.h>

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "launch.hpp"
#include "stand_in.hpp"

// What the handles of the runtime point to. They are never destroyed, so that one that is used too late is noticed.
struct CUstream_st {
  int device;
  std::uint64_t context;
  bool is_blocking;
  std::uint64_t clock_ns = 0;  // when its work so far ends
  CUgraph_st* captures = nullptr;
};
struct CUevent_st {
  std::uint64_t context;
  enum { never, waits, happened } state = never;
  std::uint64_t at_ns = 0;
  CUstream_st* stream = nullptr;
};
struct CUgraph_st {
  std::vector<std::function<void(CUstream_st&)>> work;
};
struct CUgraphExec_st : CUgraph_st {};

namespace cuda_stand_in {

/// What nvcc registers for a file.
struct module_image {
  std::string ptx;
  int architecture;
};
struct function {
  module_image const* image;
  std::string name;
};

struct loaded_module {
  explicit loaded_module(std::string const& text, ptx_emulation::device_memory& memory) : program(text, memory) {}
  ptx_emulation::program program;
};

struct waiting_work {
  CUstream_st* stream;
  std::function<void(CUstream_st&)> run;
};

struct device {
  int number = 0, architecture = 90;
  std::size_t memory_bytes = std::size_t{1} << 30, used_bytes = 0;
  std::uint64_t context = 0;  // of the runtime: 0 until it is needed, another one after a reset
  cudaError_t broken = cudaSuccess;
  ptx_emulation::device_memory memory;
  std::map<module_image const*, std::unique_ptr<loaded_module>> modules;
  std::list<waiting_work> queue;
  CUstream_st* default_stream = nullptr;
};

struct runtime {
  runtime();
  std::recursive_mutex mutex;
  std::deque<device> devices;
  cudaError_t driver = cudaSuccess;  // what every call fails with
  int driver_version = CUDART_VERSION;
  int registers = 16;
  bool is_held = false;
  std::uint64_t contexts = 0, launches = 0, captures = 0;
  std::map<std::string, std::uint64_t> calls;
  std::deque<module_image> images;
  std::map<void const*, function> functions;
  std::map<void const*, int> dynamic_shared;  // what a function was allowed beyond 48 KiB
  std::deque<CUstream_st> streams;
  std::deque<CUevent_st> events;
  void (*call_listener)(std::uint32_t) = nullptr;
  void (*kernel_listener)(kernel_seen const&) = nullptr;
};
runtime& all();

struct thread_state {
  int device = 0;
  bool has_context = false;  // of the driver: a thread has none until it calls something that needs one
  cudaError_t last = cudaSuccess;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
};
extern thread_local thread_state mine;

enum class needs : std::uint8_t {
  nothing,
  driver,
  context,
  no_capture  // a context, and that no stream is being captured
};

/// What each function of the runtime begins and ends with. @param work gives the result
template <class Work>
cudaError_t call(char const* name, needs what, Work&& work) {
  runtime& of = all();
  std::lock_guard const lock(of.mutex);
  ++of.calls[name];
  cudaError_t error = what == needs::nothing ? cudaSuccess : of.driver;
  if (error == cudaSuccess && what >= needs::context) {
    device& here = of.devices[static_cast<std::size_t>(mine.device)];
    if (here.context == 0) here.context = ++of.contexts;
    mine.has_context = true;
    error = here.broken;
    bool const is_forbidden = of.captures > 0 && mine.mode != cudaStreamCaptureModeRelaxed;
    if (error == cudaSuccess && what == needs::no_capture && is_forbidden) error = cudaErrorStreamCaptureUnsupported;
  }
  if (error == cudaSuccess) error = work();
  if (error != cudaSuccess && error != cudaErrorNotReady) mine.last = error;
  return error;
}

inline device& here() { return all().devices[static_cast<std::size_t>(mine.device)]; }

/// The stream that a handle means; null if it belongs to another device, or to a context that is gone.
CUstream_st* stream_of(cudaStream_t handle);

/// Puts work into a stream, or into the graph that captures it.
cudaError_t enqueue(CUstream_st& stream, std::function<void(CUstream_st&)> work);
/// Does what waits in a stream, and in all that it waits for. @return the device's error
cudaError_t finish(device& on, CUstream_st const* stream);
cudaError_t finish_all(device& on);

std::uint64_t now_ns(int clock);

}  // namespace cuda_stand_in
#endif
