// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The few calls of CUDA's runtime that programs of tests/gpu make.
#include <cuda.h>
#include <cuda_runtime_api.h>

extern "C" {

cudaError_t CUDARTAPI cudaGetDeviceCount(int* count) { return static_cast<cudaError_t>(cuDeviceGetCount(count)); }

/// Makes the context current, as the first call of the runtime does.
cudaError_t CUDARTAPI cudaFree(void* memory) {
  CUcontext context = nullptr;
  CUresult status = cuDevicePrimaryCtxRetain(&context, 0);
  if (status == CUDA_SUCCESS) status = cuCtxSetCurrent(context);
  if (status == CUDA_SUCCESS) status = cuMemFree(reinterpret_cast<CUdeviceptr>(memory));
  return static_cast<cudaError_t>(status);
}

}  // extern "C"
