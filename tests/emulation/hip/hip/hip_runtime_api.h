// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The HIP runtime's functions for the host, of the only device. All work is done when a call returns.
#ifndef PASTA_TESTS_EMULATION_HIP_HIP_RUNTIME_API_H
#define PASTA_TESTS_EMULATION_HIP_HIP_RUNTIME_API_H

#include "hip/emulated_types.h"

// The numbers are the runtime's own.
enum hipError_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorInvalidConfiguration = 9,
  hipErrorInsufficientDriver = 35,
  hipErrorInvalidDeviceFunction = 98,
  hipErrorNoDevice = 100,
  hipErrorInvalidDevice = 101,
  hipErrorNoBinaryForGpu = 209,
  hipErrorNotReady = 600
};
enum hipMemcpyKind {
  hipMemcpyHostToHost,
  hipMemcpyHostToDevice,
  hipMemcpyDeviceToHost,
  hipMemcpyDeviceToDevice,
  hipMemcpyDefault
};
enum hipStreamCaptureStatus { hipStreamCaptureStatusNone, hipStreamCaptureStatusActive };
enum hipStreamCaptureMode { hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal, hipStreamCaptureModeRelaxed };
enum hipDeviceAttribute_t : int { hipDeviceAttributeMultiprocessorCount = 63, hipDeviceAttributeWarpSize = 87 };
struct hipDeviceProp_t {
  char name[256];
  char gcnArchName[256];
  std::size_t totalGlobalMem;
  int warpSize, maxThreadsPerBlock, multiProcessorCount, major, minor;
};
using hipStream_t = struct ihipStream_t*;
using hipEvent_t = struct ihipEvent_t*;
inline constexpr unsigned hipStreamNonBlocking = 1;

namespace hip_emulation {
/// What the device is: 64 or 32 lanes, worker threads (0: one for each core). Before the process's first call
/// PASTA_WARP_WIDTH and PASTA_HOST_THREADS say it, else 64 lanes and all cores. While no kernel runs.
/// @throw std::invalid_argument for another width
void set_device(std::uint32_t wave_width, std::uint32_t threads);
}  // namespace hip_emulation

extern "C" {
/// Runs a kernel to its end. `kernel` is one that <<<>>> or hipLaunchKernelGGL has launched, or PASTA.
hipError_t hipLaunchKernel(void const* kernel, dim3 grid, dim3 block, void** parameters, std::size_t shared_bytes,
                           hipStream_t stream);
hipError_t hipMalloc(void** memory, std::size_t bytes);
hipError_t hipFree(void* memory);
hipError_t hipHostMalloc(void** memory, std::size_t bytes, unsigned flags);
hipError_t hipHostFree(void* memory);
hipError_t hipMemcpy(void* to, void const* from, std::size_t bytes, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(void* to, void const* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemset(void* memory, int value, std::size_t bytes);
hipError_t hipMemsetAsync(void* memory, int value, std::size_t bytes, hipStream_t stream);
hipError_t hipDeviceSynchronize();
hipError_t hipDeviceReset();
hipError_t hipGetLastError();
hipError_t hipPeekAtLastError();
char const* hipGetErrorName(hipError_t error);
char const* hipGetErrorString(hipError_t error);
hipError_t hipGetDeviceCount(int* count);
hipError_t hipGetDevice(int* device);
hipError_t hipSetDevice(int device);
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device);
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device);
hipError_t hipRuntimeGetVersion(int* version);
hipError_t hipStreamCreate(hipStream_t* stream);
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status);
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode);
hipError_t hipEventCreate(hipEvent_t* event);
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end);
}

// HIP's own have default arguments and take pointers of any type.
template <class T>
hipError_t hipMalloc(T** memory, std::size_t bytes) {
  return hipMalloc(reinterpret_cast<void**>(memory), bytes);
}
template <class T>
hipError_t hipHostMalloc(T** memory, std::size_t bytes, unsigned flags = 0) {
  return hipHostMalloc(reinterpret_cast<void**>(memory), bytes, flags);
}
template <class T>
hipError_t hipMallocManaged(T** memory, std::size_t bytes, unsigned = 1) {
  return hipMalloc(reinterpret_cast<void**>(memory), bytes);
}
template <class T>
hipError_t hipMemcpyToSymbol(T& symbol, void const* from, std::size_t bytes, std::size_t offset = 0,
                             hipMemcpyKind = hipMemcpyHostToDevice) {
  return hipMemcpy(reinterpret_cast<char*>(&symbol) + offset, from, bytes, hipMemcpyDefault);
}
template <class T>
hipError_t hipMemcpyFromSymbol(void* to, T const& symbol, std::size_t bytes, std::size_t offset = 0,
                               hipMemcpyKind = hipMemcpyDeviceToHost) {
  return hipMemcpy(to, reinterpret_cast<char const*>(&symbol) + offset, bytes, hipMemcpyDefault);
}

#endif
