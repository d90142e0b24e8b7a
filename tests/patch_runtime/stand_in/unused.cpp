// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Functions that a driver has and that the patch route does not call.
#include <cstdlib>

#define UNUSED(name) \
  extern "C" void name() { std::abort(); }
UNUSED(cuCtxGetDevice)
UNUSED(cuDeviceGetAttribute)
UNUSED(cuFuncGetModule)
UNUSED(cuGraphChildGraphNodeGetGraph)
UNUSED(cuGraphGetNodes)
UNUSED(cuGraphKernelNodeGetParams_v2)
UNUSED(cuGraphNodeGetType)
UNUSED(cuKernelGetFunction)
UNUSED(cuLibraryGetModule)
UNUSED(cuMemHostAlloc)
UNUSED(cuMemHostGetDevicePointer_v2)
UNUSED(cuMemcpyDtoHAsync_v2)
UNUSED(cuMemcpyHtoDAsync_v2)
UNUSED(cuMemsetD8Async)
UNUSED(cuModuleGetGlobal_v2)
UNUSED(cuStreamBatchMemOp_v2)
UNUSED(cuStreamCreate)
UNUSED(cuStreamIsCapturing)
UNUSED(cuStreamSynchronize)
UNUSED(cuStreamWriteValue32_v2)
UNUSED(cuThreadExchangeStreamCaptureMode)
