// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// In place of rocprofiler-sdk's header of this name: contexts, and calls before and after functions of the HIP runtime.
// Names and types are AMD's, values are not; only what vendor/hip/rocprofiler.hpp uses is here.
#ifndef PASTA_STAND_IN_ROCPROFILER_H
#define PASTA_STAND_IN_ROCPROFILER_H

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>

extern "C" {

enum rocprofiler_status_t { ROCPROFILER_STATUS_SUCCESS = 0, ROCPROFILER_STATUS_ERROR };
enum rocprofiler_callback_phase_t {
  ROCPROFILER_CALLBACK_PHASE_NONE = 0,
  ROCPROFILER_CALLBACK_PHASE_ENTER,
  ROCPROFILER_CALLBACK_PHASE_EXIT
};
enum rocprofiler_callback_tracing_kind_t {
  ROCPROFILER_CALLBACK_TRACING_NONE = 0,
  ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API
};
enum rocprofiler_hip_runtime_api_id_t {
  ROCPROFILER_HIP_RUNTIME_API_ID_NONE = -1,
  ROCPROFILER_HIP_RUNTIME_API_ID_hipExtLaunchKernel,
  ROCPROFILER_HIP_RUNTIME_API_ID_hipExtModuleLaunchKernel,
  ROCPROFILER_HIP_RUNTIME_API_ID_hipFree,
  ROCPROFILER_HIP_RUNTIME_API_ID_hipFreeAsync,
  ROCPROFILER_HIP_RUNTIME_API_ID_hipLaunchCooperativeKernel,
  ROCPROFILER_HIP_RUNTIME_API_ID_hipLaunchCooperativeKernel_spt,
  ROCPROFILER_HIP_RUNTIME_API_ID_hipLaunchKernel,
  ROCPROFILER_HIP_RUNTIME_API_ID_hipLaunchKernel_spt,
  ROCPROFILER_HIP_RUNTIME_API_ID_hipMalloc,
  ROCPROFILER_HIP_RUNTIME_API_ID_hipMallocAsync,
  ROCPROFILER_HIP_RUNTIME_API_ID_hipMallocManaged,
  ROCPROFILER_HIP_RUNTIME_API_ID_hipModuleLaunchKernel,
};

using rocprofiler_tracing_operation_t = std::int32_t;
struct rocprofiler_context_id_t {
  std::uint64_t handle;
};
struct rocprofiler_dim3_t {
  std::uint32_t x, y, z;
};
union rocprofiler_user_data_t {
  std::uint64_t value;
  void* ptr;
};
struct rocprofiler_correlation_id_t {
  std::uint64_t internal;
  rocprofiler_user_data_t external;
};
struct rocprofiler_callback_tracing_record_t {
  rocprofiler_context_id_t context_id;
  std::uint64_t thread_id;
  rocprofiler_correlation_id_t correlation_id;
  rocprofiler_callback_tracing_kind_t kind;
  rocprofiler_tracing_operation_t operation;
  rocprofiler_callback_phase_t phase;
  void* payload;
};

union rocprofiler_hip_api_args_t {
  struct {
    void const* function_address;
    rocprofiler_dim3_t numBlocks, dimBlocks;
    void** args;
    std::size_t sharedMemBytes;
    hipStream_t stream;
  } hipLaunchKernel, hipLaunchKernel_spt;
  struct {
    void const* function_address;
    rocprofiler_dim3_t numBlocks, dimBlocks;
    void** args;
    std::size_t sharedMemBytes;
    hipStream_t stream;
    hipEvent_t startEvent, stopEvent;
    int flags;
  } hipExtLaunchKernel;
  struct {
    void const* func;
    rocprofiler_dim3_t gridDim, blockDimX;
    void** kernelParams;
    unsigned sharedMemBytes;
    hipStream_t stream;
  } hipLaunchCooperativeKernel;
  struct {
    void const* func;
    rocprofiler_dim3_t gridDim, blockDim;
    void** kernelParams;
    std::uint32_t sharedMemBytes;
    hipStream_t stream;
  } hipLaunchCooperativeKernel_spt;
  struct {
    hipFunction_t func;
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    hipStream_t stream;
    void **kernelParams, **extra;
  } hipModuleLaunchKernel;
  struct {
    hipFunction_t func;
    std::uint32_t globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ, localWorkSizeX, localWorkSizeY, localWorkSizeZ;
    std::size_t sharedMemBytes;
    hipStream_t stream;
    void **kernelParams, **extra;
    hipEvent_t startEvent, stopEvent;
    std::uint32_t flags;
  } hipExtModuleLaunchKernel;
  struct {
    void** ptr;
    std::size_t size;
  } hipMalloc;
  struct {
    void** dev_ptr;
    std::size_t size;
    unsigned flags;
  } hipMallocManaged;
  struct {
    void** dev_ptr;
    std::size_t size;
    hipStream_t stream;
  } hipMallocAsync;
  struct {
    void* ptr;
  } hipFree;
  struct {
    void* dev_ptr;
    hipStream_t stream;
  } hipFreeAsync;
};
union rocprofiler_hip_api_retval_t {
  std::uint64_t uint64_t_retval;
  hipError_t hipError_t_retval;
};
struct rocprofiler_callback_tracing_hip_api_data_t {
  std::uint64_t size;
  rocprofiler_hip_api_args_t args;
  rocprofiler_hip_api_retval_t retval;
};
using rocprofiler_callback_tracing_cb_t = void (*)(rocprofiler_callback_tracing_record_t, rocprofiler_user_data_t*,
                                                   void*);

rocprofiler_status_t rocprofiler_create_context(rocprofiler_context_id_t* context_id);
rocprofiler_status_t rocprofiler_configure_callback_tracing_service(rocprofiler_context_id_t context_id,
                                                                    rocprofiler_callback_tracing_kind_t kind,
                                                                    rocprofiler_tracing_operation_t const* operations,
                                                                    std::size_t operations_count,
                                                                    rocprofiler_callback_tracing_cb_t callback,
                                                                    void* callback_args);
rocprofiler_status_t rocprofiler_start_context(rocprofiler_context_id_t context_id);
}

#endif
