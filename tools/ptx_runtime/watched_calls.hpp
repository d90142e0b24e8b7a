// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The driver calls that the collector follows.
#ifndef PASTA_TOOLS_PTX_RUNTIME_WATCHED_CALLS_HPP
#define PASTA_TOOLS_PTX_RUNTIME_WATCHED_CALLS_HPP

#include <array>

#include "cupti.hpp"

namespace pasta::ptx {

// By number, since toolkits before 12.3 do not name it.
inline constexpr CUpti_CallbackId begin_capture_to_graph = 720, begin_capture_to_graph_ptsz = 721;
// Nor those before 13.0 this.
inline constexpr CUpti_CallbackId context_synchronize_v2 = 800;

inline constexpr auto watched_driver_calls =
    std::to_array<CUpti_CallbackId>({CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                     CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                     CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                     CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                                     CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                     CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
                                     CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice,
                                     CUPTI_DRIVER_TRACE_CBID_cuLaunch,
                                     CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid,
                                     CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync,
                                     CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate,
                                     CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate_v2,
                                     CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags,
                                     CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams,
                                     CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams_ptsz,
                                     CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
                                     CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
                                     CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy,
                                     CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate,
                                     CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2,
                                     CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams,
                                     CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2,
                                     CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture,
                                     CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz,
                                     CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2,
                                     CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz,
                                     begin_capture_to_graph,
                                     begin_capture_to_graph_ptsz,
                                     CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize,
                                     context_synchronize_v2,
                                     CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize,
                                     CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz,
                                     CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy,
                                     CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2,
                                     CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,
                                     CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2,
                                     CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged,
                                     CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync,
                                     CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz,
                                     CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync,
                                     CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz,
                                     CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2,
                                     CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync,
                                     CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz,
                                     CUPTI_DRIVER_TRACE_CBID_cuMemMap,
                                     CUPTI_DRIVER_TRACE_CBID_cuMemUnmap,
                                     CUPTI_DRIVER_TRACE_CBID_cuModuleUnload,
                                     CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload,
                                     CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy,
                                     CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2,
                                     CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxRelease,
                                     CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxRelease_v2,
                                     CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset,
                                     CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2});

// Calls of the runtime that wait: not all of them are calls of the driver too.
inline constexpr auto watched_runtime_calls = std::to_array<CUpti_CallbackId>(
    {CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020,
     CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_ptsz_v7000, CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020,
     CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_ptds_v7000});

inline constexpr auto watched_resources =
    std::to_array<CUpti_CallbackId>({CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING});

}  // namespace pasta::ptx
#endif
