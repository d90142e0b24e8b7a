// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// In place of libamdhip64, for the host side of programs that hipcc compiled: memory is the host's, streams are in
// order, kernels are not executed. Loaded before AMD's own (LD_PRELOAD). Each launch is a line in the file that
// HIP_STAND_IN_LOG names: kernel, grid, block, bytes of dynamic shared memory.
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

struct configuration {
  dim3 grid, block;
  std::size_t shared_bytes;
  hipStream_t stream;
};
thread_local std::vector<configuration> pushed;
thread_local hipError_t last_error = hipSuccess;

std::mutex mutex;
std::map<void const*, std::string>& kernels() {  // what was registered, before main
  static auto* const all = new std::map<void const*, std::string>;
  return *all;
}

hipError_t done(hipError_t error = hipSuccess) {
  if (error != hipSuccess) last_error = error;
  return error;
}

double now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

hipError_t log_launch(std::string const& kernel, dim3 grid, dim3 block, std::size_t shared_bytes) {
  if (char const* const path = std::getenv("HIP_STAND_IN_LOG")) {
    if (std::FILE* const file = std::fopen(path, "a")) {
      std::fprintf(file, "%s %u,%u,%u %u,%u,%u %zu\n", kernel.c_str(), grid.x, grid.y, grid.z, block.x, block.y,
                   block.z, shared_bytes);
      std::fclose(file);
    }
  }
  return done();
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// What hipcc's own code calls.
void** __hipRegisterFatBinary(void const*) {
  static void* binary = nullptr;
  return &binary;
}
void __hipUnregisterFatBinary(void**) {}
void __hipRegisterFunction(void**, void const* function, char*, char const* name, unsigned, void*, void*, void*, void*,
                           int*) {
  std::lock_guard const lock(mutex);
  kernels()[function] = name;
}
void __hipRegisterVar(void**, void*, char*, char*, int, std::size_t, int, int) {}
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, hipStream_t stream) {
  pushed.push_back({grid, block, shared_bytes, stream});
  return hipSuccess;
}
hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, hipStream_t* stream) {
  if (pushed.empty()) return done(hipErrorInvalidConfiguration);
  configuration const& last = pushed.back();
  *grid = last.grid, *block = last.block, *shared_bytes = last.shared_bytes, *stream = last.stream;
  pushed.pop_back();
  return hipSuccess;
}

hipError_t hipLaunchKernel(void const* function, dim3 grid, dim3 block, void**, std::size_t shared_bytes, hipStream_t) {
  std::lock_guard const lock(mutex);
  auto const known = kernels().find(function);
  if (known == kernels().end()) return done(hipErrorInvalidDeviceFunction);
  if (block.x * block.y * block.z > 1024 || grid.x == 0) return done(hipErrorInvalidConfiguration);
  return log_launch(known->second, grid, block, shared_bytes);
}
hipError_t hipLaunchKernel_spt(void const* function, dim3 grid, dim3 block, void** all, std::size_t shared_bytes,
                               hipStream_t stream) {
  return hipLaunchKernel(function, grid, block, all, shared_bytes, stream);
}
hipError_t hipExtLaunchKernel(void const* function, dim3 grid, dim3 block, void** all, std::size_t shared_bytes,
                              hipStream_t stream, hipEvent_t, hipEvent_t, int) {
  return hipLaunchKernel(function, grid, block, all, shared_bytes, stream);
}
hipError_t hipLaunchCooperativeKernel(void const* function, dim3 grid, dim3 block, void** all, unsigned shared_bytes,
                                      hipStream_t stream) {
  return hipLaunchKernel(function, grid, block, all, shared_bytes, stream);
}
hipError_t hipLaunchCooperativeKernel_spt(void const* function, dim3 grid, dim3 block, void** all,
                                          std::uint32_t shared_bytes, hipStream_t stream) {
  return hipLaunchKernel(function, grid, block, all, shared_bytes, stream);
}
hipError_t hipModuleLaunchKernel(hipFunction_t, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                 unsigned block_y, unsigned block_z, unsigned shared_bytes, hipStream_t, void**,
                                 void**) {
  std::lock_guard const lock(mutex);
  return log_launch("a_module_s_kernel", {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes);
}

hipError_t hipMalloc(void** memory, std::size_t bytes) {
  *memory = std::calloc(bytes == 0 ? 1 : bytes, 1);
  return done(*memory == nullptr ? hipErrorOutOfMemory : hipSuccess);
}
hipError_t hipMallocManaged(void** memory, std::size_t bytes, unsigned) { return hipMalloc(memory, bytes); }
hipError_t hipMallocAsync(void** memory, std::size_t bytes, hipStream_t) { return hipMalloc(memory, bytes); }
hipError_t hipFree(void* memory) {
  std::free(memory);
  return done();
}
hipError_t hipFreeAsync(void* memory, hipStream_t) { return hipFree(memory); }
hipError_t hipMemcpy(void* to, void const* from, std::size_t bytes, hipMemcpyKind) {
  std::memmove(to, from, bytes);
  return done();
}
hipError_t hipMemcpyAsync(void* to, void const* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t) {
  return hipMemcpy(to, from, bytes, kind);
}
hipError_t hipMemset(void* memory, int value, std::size_t bytes) {
  std::memset(memory, value, bytes);
  return done();
}
hipError_t hipMemsetAsync(void* memory, int value, std::size_t bytes, hipStream_t) {
  return hipMemset(memory, value, bytes);
}

hipError_t hipDeviceSynchronize() { return done(); }
hipError_t hipGetLastError() { return std::exchange(last_error, hipSuccess); }
hipError_t hipPeekAtLastError() { return last_error; }
char const* hipGetErrorName(hipError_t) { return "an error"; }
char const* hipGetErrorString(hipError_t) { return "an error of the stand-in"; }
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
  *properties = {};
  std::snprintf(properties->name, sizeof(properties->name), "stand-in");
  std::snprintf(properties->gcnArchName, sizeof(properties->gcnArchName), "gfx90a");
  properties->warpSize = 64;
  properties->multiProcessorCount = 4;
  return done();
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  if (device != 0) return done(hipErrorInvalidDevice);
  if (attribute == hipDeviceAttributeMultiprocessorCount) return *value = 4, done();
  if (attribute == hipDeviceAttributeWarpSize) return *value = 64, done();
  return done(hipErrorInvalidValue);
}
hipError_t hipRuntimeGetVersion(int* version) {
  *version = 50'200'000;
  return done();
}

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
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode*) { return done(); }

hipError_t hipEventCreate(hipEvent_t* made) {
  *made = reinterpret_cast<hipEvent_t>(new double(0));
  return done();
}
hipError_t hipEventDestroy(hipEvent_t event) {
  delete reinterpret_cast<double*>(event);
  return done();
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t) {
  *reinterpret_cast<double*>(event) = now_ms();
  return done();
}
hipError_t hipEventSynchronize(hipEvent_t) { return done(); }
hipError_t hipEventQuery(hipEvent_t) { return done(); }
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end) {
  *milliseconds = static_cast<float>(*reinterpret_cast<double*>(end) - *reinterpret_cast<double*>(begin));
  return done();
}
}

// HIP 5.2 declares it as C++; the grid is told in threads.
hipError_t hipExtModuleLaunchKernel(hipFunction_t, std::uint32_t all_x, std::uint32_t all_y, std::uint32_t all_z,
                                    std::uint32_t block_x, std::uint32_t block_y, std::uint32_t block_z,
                                    std::size_t shared_bytes, hipStream_t, void**, void**, hipEvent_t, hipEvent_t,
                                    std::uint32_t) {
  std::lock_guard const lock(mutex);
  return log_launch("a_module_s_kernel", {all_x / block_x, all_y / block_y, all_z / block_z},
                    {block_x, block_y, block_z}, shared_bytes);
}
#pragma GCC visibility pop
