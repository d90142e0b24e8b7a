// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The HIP runtime's functions behind this library's own, as the program has loaded them: nothing is linked.
#ifndef PASTA_TOOLS_HIP_RUNTIME_RUNTIME_HPP
#define PASTA_TOOLS_HIP_RUNTIME_RUNTIME_HPP

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <string>

namespace pasta::hip_runtime {

/// A function of the runtime: behind this library in the order of loading, or in a libamdhip64 that was loaded for one
/// library alone. Null where the process has no such function; then it is looked for again. Any thread.
void* find_next(char const* name);

/// Those that the collector calls.
struct runtime {
  hipError_t (*get_device)(int*);
  hipError_t (*set_device)(int);
  hipError_t (*get_device_count)(int*);
  hipError_t (*get_device_properties)(hipDeviceProp_t*, int);
  hipError_t (*get_device_attribute)(int*, hipDeviceAttribute_t, int);
  hipError_t (*get_version)(int*);
  hipError_t (*get_last_error)();
  char const* (*get_error_name)(hipError_t);
  char const* (*get_error_string)(hipError_t);
  hipError_t (*allocate)(void**, std::size_t);
  hipError_t (*release)(void*);
  hipError_t (*copy_async)(void*, void const*, std::size_t, hipMemcpyKind, hipStream_t);
  hipError_t (*set_async)(void*, int, std::size_t, hipStream_t);
  hipError_t (*make_stream)(hipStream_t*, unsigned);
  hipError_t (*wait_for_stream)(hipStream_t);
  hipError_t (*wait_for_device)();
  hipError_t (*exchange_capture_mode)(hipStreamCaptureMode*);
  hipError_t (*is_capturing)(hipStream_t, hipStreamCaptureStatus*);
  // Not in each runtime; null there.
  hipError_t (*get_stream_device)(hipStream_t, int*);
  hipError_t (*get_symbol_address)(void**, void const*);
  hipError_t (*allocate_on_host)(void**, std::size_t, unsigned);
  hipError_t (*make_event)(hipEvent_t*, unsigned);
  hipError_t (*record_event)(hipEvent_t, hipStream_t);
  hipError_t (*ask_event)(hipEvent_t);
  hipError_t (*get_global)(void**, std::size_t*, hipModule_t, char const*);
  hipError_t (*get_library_global)(void**, std::size_t*, void const*, char const*);
  void (*register_variable)(void**, void*, char*, char const*, int, std::size_t, int, int);

  hipError_t (*get_nodes)(hipGraph_t, hipGraphNode_t*, std::size_t*);
  hipError_t (*get_node_type)(hipGraphNode_t, hipGraphNodeType*);
  hipError_t (*get_kernel_node)(hipGraphNode_t, hipKernelNodeParams*);
  hipError_t (*get_child_graph)(hipGraphNode_t, hipGraph_t*);
  bool has_graphs() const {
    return get_nodes != nullptr && get_node_type != nullptr && get_kernel_node != nullptr && get_child_graph != nullptr;
  }

  bool has_events() const { return make_event != nullptr && record_event != nullptr && ask_event != nullptr; }

  /// Found once. @return null where the process has no runtime, or one that lacks a function
  static runtime const* find(std::string& why_not);

  /// "out of memory (hipErrorOutOfMemory)". Takes the runtime's last error back.
  std::string explain(hipError_t error) const;
};

/// While it lives the calling thread's calls are the collector's own: on this device, and such as a stream capture
/// anywhere in the program would forbid.
class own_calls {
 public:
  own_calls(runtime const& with, int device);
  ~own_calls();
  own_calls(own_calls const&) = delete;
  own_calls& operator=(own_calls const&) = delete;

 private:
  runtime const* with_;
  int device_, before_ = 0;
  bool is_exchanged_;
  hipStreamCaptureMode mode_ = hipStreamCaptureModeRelaxed;
};

}  // namespace pasta::hip_runtime
#endif
