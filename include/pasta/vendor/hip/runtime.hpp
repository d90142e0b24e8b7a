// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_HIP_RUNTIME_HPP
#define PASTA_VENDOR_HIP_RUNTIME_HPP

#include <pasta/vendor/hip/error.hpp>

namespace pasta::simt {

/// The runtime's calls that results are collected with (session/gpu/collector.hpp), on the calling thread's current
/// device. None throws, and none leaves an error of its own behind; false, null or 0: it did not work.
struct runtime {
  using stream = hipStream_t;
  using event = hipEvent_t;
  enum class progress { running, ended, failed };

  /// Takes the runtime's last error back, if there is one.
  static bool is_done(hipError_t error) {
    if (error != hipSuccess) static_cast<void>(hipGetLastError());
    return error == hipSuccess;
  }

  static int device() {
    int number = 0;
    return is_done(hipGetDevice(&number)) ? number : 0;
  }
  static bool use(int device) { return is_done(hipSetDevice(device)); }
  /// @return `otherwise` if the runtime does not tell
  static std::uint32_t attribute(hipDeviceAttribute_t which, int device, std::uint32_t otherwise) {
    int value = 0;
    return is_done(hipDeviceGetAttribute(&value, which, device)) && value > 0 ? static_cast<std::uint32_t>(value)
                                                                              : otherwise;
  }
  static std::uint32_t count_processors(int device) {
    return attribute(hipDeviceAttributeMultiprocessorCount, device, 1);
  }

  /// Also while the thread captures a stream: what is allocated is no part of the graph.
  static void* allocate(std::size_t bytes) {
    auto mode = hipStreamCaptureModeRelaxed;
    bool const is_exchanged = is_done(hipThreadExchangeStreamCaptureMode(&mode));
    void* memory = nullptr;
    if (!is_done(hipMalloc(&memory, bytes))) memory = nullptr;
    if (is_exchanged) is_done(hipThreadExchangeStreamCaptureMode(&mode));
    return memory;
  }
  static void release(void* memory) { is_done(hipFree(memory)); }

  /// A stream that waits for no other, nor they for it.
  static stream make_stream() {
    stream made = nullptr;
    return is_done(hipStreamCreateWithFlags(&made, hipStreamNonBlocking)) ? made : nullptr;
  }
  static bool clear(void* memory, std::size_t bytes, stream in) {
    return is_done(hipMemsetAsync(memory, 0, bytes, in));
  }
  static bool copy(void* to, void const* from, std::size_t bytes, stream in) {
    return is_done(hipMemcpyAsync(to, from, bytes, hipMemcpyDefault, in));
  }
  static bool wait_for(stream in) { return is_done(hipStreamSynchronize(in)); }
  static bool is_captured(stream in) {
    auto status = hipStreamCaptureStatusNone;
    return is_done(hipStreamIsCapturing(in, &status)) && status != hipStreamCaptureStatusNone;
  }
  /// @return empty, or why the kernels of the device went wrong
  static std::string wait_for_device(std::string const& what_is_lost) {
    hipError_t const error = hipDeviceSynchronize();
    return is_done(error) ? std::string() : explain(error, what_is_lost);
  }

  static event make_event() {
    event made = nullptr;
    return is_done(hipEventCreate(&made)) ? made : nullptr;
  }
  static bool record(event what, stream in) { return is_done(hipEventRecord(what, in)); }
  static bool wait_for(event what) { return is_done(hipEventSynchronize(what)); }
  static progress ask(event what) {
    hipError_t const answer = hipEventQuery(what);
    if (is_done(answer)) return progress::ended;
    return answer == hipErrorNotReady ? progress::running : progress::failed;
  }
  /// [ms]; negative where it is not known.
  static float time_between(event begin, event end) {
    float duration_ms = 0;
    return is_done(hipEventElapsedTime(&duration_ms, begin, end)) ? duration_ms : -1;
  }
};

}  // namespace pasta::simt
#endif
