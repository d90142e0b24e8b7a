// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "hip/hip_runtime_api.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "device.hpp"
#include "hip/emulated_launch.h"

namespace {

thread_local hipError_t last_error = hipSuccess;

hipError_t done(hipError_t error = hipSuccess) { return hip_emulation::set_last_error(error); }

struct event {
  long long ticks = -1;  // of 10 ns; negative: not recorded
};
struct kernel_list {
  std::shared_mutex mutex;
  std::unordered_map<void const*, hip_emulation::run_kernel> how;  // [kernel]: how to run it
};
kernel_list& kernels() {
  static auto* const all = new kernel_list;  // never deleted: kernels may be launched until the very end
  return *all;
}
hip_emulation::run_kernel find_kernel(void const* kernel) {
  std::shared_lock const lock(kernels().mutex);
  auto const found = kernels().how.find(kernel);
  return found == kernels().how.end() ? nullptr : found->second;
}

// Not by hipMalloc(): memory of the host's is none of the device's for a library that stands before it.
hipError_t allocate(void** memory, std::size_t bytes) {
  if (memory == nullptr) return done(hipErrorInvalidValue);
  *memory = bytes == 0 ? nullptr : std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return done(bytes != 0 && *memory == nullptr ? hipErrorOutOfMemory : hipSuccess);
}

event* to_event(hipEvent_t handle) { return reinterpret_cast<event*>(handle); }

}  // namespace

namespace hip_emulation {
hipError_t set_last_error(hipError_t error) {
  if (error != hipSuccess) last_error = error;
  return error;
}
void add_kernel(void const* kernel, run_kernel how) {
  if (find_kernel(kernel) == how) return;
  std::unique_lock const lock(kernels().mutex);
  kernels().how[kernel] = how;
}
}  // namespace hip_emulation

extern "C" {

hipError_t hipLaunchKernel(void const* kernel, dim3 grid, dim3 block, void** parameters, std::size_t shared_bytes,
                           hipStream_t) {
  hip_emulation::run_kernel const how = find_kernel(kernel);
  return how == nullptr ? done(hipErrorInvalidDeviceFunction) : how(kernel, grid, block, parameters, shared_bytes);
}

hipError_t hipMalloc(void** memory, std::size_t bytes) { return allocate(memory, bytes); }
hipError_t hipFree(void* memory) {
  std::free(memory);
  return done();
}
hipError_t hipHostMalloc(void** memory, std::size_t bytes, unsigned) { return allocate(memory, bytes); }
hipError_t hipHostFree(void* memory) {
  std::free(memory);
  return done();
}
hipError_t hipMemcpy(void* to, void const* from, std::size_t bytes, hipMemcpyKind) {
  if (bytes != 0 && (to == nullptr || from == nullptr)) return done(hipErrorInvalidValue);
  if (bytes != 0) std::memmove(to, from, bytes);
  return done();
}
hipError_t hipMemcpyAsync(void* to, void const* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t) {
  return hipMemcpy(to, from, bytes, kind);
}
hipError_t hipMemset(void* memory, int value, std::size_t bytes) {
  if (bytes != 0 && memory == nullptr) return done(hipErrorInvalidValue);
  if (bytes != 0) std::memset(memory, value, bytes);
  return done();
}
hipError_t hipMemsetAsync(void* memory, int value, std::size_t bytes, hipStream_t) {
  return hipMemset(memory, value, bytes);
}
hipError_t hipDeviceSynchronize() { return done(); }
hipError_t hipDeviceReset() { return done(); }
hipError_t hipGetLastError() { return std::exchange(last_error, hipSuccess); }
hipError_t hipPeekAtLastError() { return last_error; }

char const* hipGetErrorName(hipError_t error) {
  switch (error) {
    case hipSuccess:
      return "hipSuccess";
    case hipErrorInvalidValue:
      return "hipErrorInvalidValue";
    case hipErrorOutOfMemory:
      return "hipErrorOutOfMemory";
    case hipErrorInvalidConfiguration:
      return "hipErrorInvalidConfiguration";
    case hipErrorInvalidDevice:
      return "hipErrorInvalidDevice";
    default:
      return "hipErrorUnknown";
  }
}
char const* hipGetErrorString(hipError_t error) { return hipGetErrorName(error); }

hipError_t hipGetDeviceCount(int* count) {
  *count = 1;
  return done();
}
hipError_t hipGetDevice(int* device) {
  *device = 0;
  return done();
}
hipError_t hipSetDevice(int device) { return done(device == 0 ? hipSuccess : hipErrorInvalidDevice); }
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  if (device != 0) return done(hipErrorInvalidDevice);
  auto const& settings = hip_emulation::device::only().engine().settings();
  *properties = {};
  std::snprintf(properties->name, sizeof(properties->name), "emulated on the CPU");
  std::snprintf(properties->gcnArchName, sizeof(properties->gcnArchName), "wave%u", settings.warp_width);
  properties->warpSize = static_cast<int>(settings.warp_width);
  properties->maxThreadsPerBlock = static_cast<int>(pasta::simt::max_block_threads);
  properties->multiProcessorCount = static_cast<int>(settings.threads);
  return done();
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  constexpr int wall_clock_rate = 10017;
  if (device != 0) return done(hipErrorInvalidDevice);
  auto const& settings = hip_emulation::device::only().engine().settings();
  switch (static_cast<int>(attribute)) {
    case hipDeviceAttributeMultiprocessorCount:
      *value = static_cast<int>(settings.threads);
      return done();
    case hipDeviceAttributeWarpSize:
      *value = static_cast<int>(settings.warp_width);
      return done();
    case wall_clock_rate:
      *value = 100'000;
      return done();
    default:
      return done(hipErrorInvalidValue);
  }
}
hipError_t hipRuntimeGetVersion(int* version) {
  *version = 50'200'000;  // what it resembles
  return done();
}

hipError_t hipStreamCreate(hipStream_t* stream) { return hipStreamCreateWithFlags(stream, 0); }
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned) {
  *stream = reinterpret_cast<hipStream_t>(new char);
  return done();
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  delete reinterpret_cast<char*>(stream);
  return done();
}
hipError_t hipStreamSynchronize(hipStream_t) { return done(); }
hipError_t hipStreamIsCapturing(hipStream_t, hipStreamCaptureStatus* status) {
  *status = hipStreamCaptureStatusNone;
  return done();
}
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  static thread_local auto current = hipStreamCaptureModeGlobal;
  std::swap(*mode, current);
  return done();
}

hipError_t hipEventCreate(hipEvent_t* made) {
  *made = reinterpret_cast<hipEvent_t>(new event);
  return done();
}
hipError_t hipEventDestroy(hipEvent_t handle) {
  delete to_event(handle);
  return done();
}
hipError_t hipEventRecord(hipEvent_t handle, hipStream_t) {
  to_event(handle)->ticks = hip_emulation::wall_clock();
  return done();
}
hipError_t hipEventSynchronize(hipEvent_t) { return done(); }
hipError_t hipEventQuery(hipEvent_t) { return done(); }
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end) {
  if (to_event(begin)->ticks < 0 || to_event(end)->ticks < 0) return done(hipErrorInvalidValue);
  *milliseconds = static_cast<float>(to_event(end)->ticks - to_event(begin)->ticks) / 100'000;
  return done();
}
}
