// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Devices, contexts, errors.
#include <cuda.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "state.hpp"

namespace cuda_stand_in {

namespace {

std::uint64_t number_of(char const* variable, std::uint64_t otherwise) {
  char const* const text = std::getenv(variable);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct known_error {
  cudaError_t error;
  char const *name, *text;
};
constexpr known_error known_errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice", "no kernel image is available"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported", "not permitted when stream is capturing"},
};

// The driver's, for those who ask the runtime for it: of a thread that has no context yet there is none.
CUresult get_context_id(CUcontext, unsigned long long* id) {
  std::lock_guard const lock(all().mutex);
  if (!mine.has_context || here().context == 0) return CUDA_ERROR_INVALID_CONTEXT;
  *id = here().context;
  return CUDA_SUCCESS;
}

}  // namespace

thread_local thread_state mine;

runtime& all() {
  static auto* const only = new runtime;  // programs call until the very end
  return *only;
}

runtime::runtime() {
  std::size_t const count = number_of("STAND_IN_DEVICES", 1);
  for (std::size_t i = 0; i < count; ++i) devices.emplace_back().number = static_cast<int>(i);
  registers = static_cast<int>(number_of("STAND_IN_REGISTERS", 16));
  if (count == 0) {
    driver = cudaErrorNoDevice;
  } else {
    devices.back().architecture = static_cast<int>(number_of("STAND_IN_ARCHITECTURE", 90));
    devices.back().memory_bytes = number_of("STAND_IN_MEMORY", std::size_t{1} << 30);
  }
  if (char const* const kind = std::getenv("STAND_IN_DRIVER"); kind != nullptr && *kind != '\0') {
    driver = cudaErrorInsufficientDriver;
    driver_version = std::strcmp(kind, "old") == 0 ? 11040 : 0;
  }
}

void make_devices(std::size_t count) {
  while (all().devices.size() < count) {
    device& made = all().devices.emplace_back();
    made.number = static_cast<int>(all().devices.size()) - 1;
  }
}
void hold_work(bool is_held) { all().is_held = is_held; }
void limit_memory(int device, std::size_t bytes) {
  all().devices.at(static_cast<std::size_t>(device)).memory_bytes = bytes;
}
std::uint64_t calls_of(std::string const& name) {
  std::lock_guard const lock(all().mutex);
  return std::exchange(all().calls[name], 0);
}
void stand_in_listen(void (*call)(std::uint32_t), void (*kernel)(kernel_seen const&)) {
  std::lock_guard const lock(all().mutex);
  all().call_listener = call;
  all().kernel_listener = kernel;
}

std::uint64_t now_ns(int clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cudaError_t CUDARTAPI cudaGetDeviceCount(int* count) {
  *count = 0;
  return call("cudaGetDeviceCount", needs::driver, [&] {
    *count = static_cast<int>(all().devices.size());
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaGetDevice(int* device) {
  return call("cudaGetDevice", needs::driver, [&] {
    *device = mine.device;
    return cudaSuccess;
  });
}
// Makes the device's context the thread's, as since CUDA 12.
cudaError_t CUDARTAPI cudaSetDevice(int device) {
  return call("cudaSetDevice", needs::driver, [&] {
    if (device < 0 || static_cast<std::size_t>(device) >= all().devices.size()) return cudaErrorInvalidDevice;
    mine.device = device;
    if (here().context == 0) here().context = ++all().contexts;
    mine.has_context = true;
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaDeviceReset() {
  return call("cudaDeviceReset", needs::driver, [] {
    device& gone = here();
    gone.queue.clear();
    gone.modules.clear();
    gone.memory = {};
    gone.used_bytes = 0;
    gone.broken = cudaSuccess;
    gone.context = 0;
    gone.default_stream = nullptr;
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
  return call("cudaDeviceGetAttribute", needs::driver, [&] {
    device const& of = all().devices.at(static_cast<std::size_t>(number));
    switch (attribute) {
      case cudaDevAttrMultiProcessorCount:
        *value = 4;
        return cudaSuccess;
      case cudaDevAttrComputeCapabilityMajor:
        *value = of.architecture / 10;
        return cudaSuccess;
      case cudaDevAttrComputeCapabilityMinor:
        *value = of.architecture % 10;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}
cudaError_t CUDARTAPI cudaGetDeviceProperties(cudaDeviceProp* into, int number) {
  return call("cudaGetDeviceProperties", needs::driver, [&] {
    device const& of = all().devices.at(static_cast<std::size_t>(number));
    *into = {};
    std::snprintf(into->name, sizeof into->name, "stand-in %d", number);
    into->major = of.architecture / 10;
    into->minor = of.architecture % 10;
    into->multiProcessorCount = 4;
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaDeviceGetLimit(std::size_t* value, cudaLimit) {
  *value = ptx_emulation::launch_options().patience;
  return call("cudaDeviceGetLimit", needs::context, [] { return cudaSuccess; });
}
cudaError_t CUDARTAPI cudaDeviceSetLimit(cudaLimit, std::size_t) {
  return call("cudaDeviceSetLimit", needs::context, [] { return cudaSuccess; });
}
cudaError_t CUDARTAPI cudaDeviceSynchronize() {
  return call("cudaDeviceSynchronize", needs::no_capture, [] { return finish_all(here()); });
}

// Of a machine without a driver it is 0, and no error.
cudaError_t CUDARTAPI cudaDriverGetVersion(int* version) {
  return call("cudaDriverGetVersion", needs::nothing, [&] {
    *version = all().driver_version;
    return cudaSuccess;
  });
}
cudaError_t CUDARTAPI cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion(char const* name, void** function, unsigned, unsigned long long,
                                                       cudaDriverEntryPointQueryResult* found) {
  return call("cudaGetDriverEntryPointByVersion", needs::driver, [&] {
    bool const is_known = std::strcmp(name, "cuCtxGetId") == 0;
    *function = is_known ? reinterpret_cast<void*>(&get_context_id) : nullptr;
    *found = is_known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  });
}

cudaError_t CUDARTAPI cudaGetLastError() { return std::exchange(mine.last, cudaSuccess); }
cudaError_t CUDARTAPI cudaPeekAtLastError() { return mine.last; }
char const* CUDARTAPI cudaGetErrorName(cudaError_t error) {
  for (known_error const& known : known_errors) {
    if (known.error == error) return known.name;
  }
  return "an error that the stand-in has no name for";
}
char const* CUDARTAPI cudaGetErrorString(cudaError_t error) {
  for (known_error const& known : known_errors) {
    if (known.error == error) return known.text;
  }
  return "unrecognized error code";
}

}  // extern "C"
