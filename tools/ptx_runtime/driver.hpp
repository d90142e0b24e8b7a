// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// NVIDIA's driver, as the program has loaded it: nothing is linked.
#ifndef PASTA_TOOLS_PTX_RUNTIME_DRIVER_HPP
#define PASTA_TOOLS_PTX_RUNTIME_DRIVER_HPP

#include <cuda.h>

#include <string>

namespace pasta::ptx {

// Needed; a driver since CUDA 12.0 has them.
#define PASTA_DETAIL_DRIVER_FUNCTIONS(X) \
  X(cuCtxGetDevice)                      \
  X(cuCtxPopCurrent)                     \
  X(cuCtxPushCurrent)                    \
  X(cuCtxSynchronize)                    \
  X(cuDeviceGetAttribute)                \
  X(cuDeviceGetName)                     \
  X(cuDriverGetVersion)                  \
  X(cuFuncGetModule)                     \
  X(cuGetErrorString)                    \
  X(cuGraphChildGraphNodeGetGraph)       \
  X(cuGraphGetNodes)                     \
  X(cuGraphKernelNodeGetParams)          \
  X(cuGraphNodeGetType)                  \
  X(cuKernelGetFunction)                 \
  X(cuLibraryGetModule)                  \
  X(cuMemAlloc)                          \
  X(cuMemFree)                           \
  X(cuMemHostAlloc)                      \
  X(cuMemHostGetDevicePointer)           \
  X(cuMemcpyDtoHAsync)                   \
  X(cuMemcpyHtoDAsync)                   \
  X(cuMemsetD8Async)                     \
  X(cuModuleGetGlobal)                   \
  X(cuStreamBatchMemOp)                  \
  X(cuStreamCreate)                      \
  X(cuStreamIsCapturing)                 \
  X(cuStreamSynchronize)                 \
  X(cuStreamWriteValue32)                \
  X(cuThreadExchangeStreamCaptureMode)

struct driver {
#define PASTA_DETAIL_DECLARE(name) decltype(&::name) name##_ = nullptr;
  PASTA_DETAIL_DRIVER_FUNCTIONS(PASTA_DETAIL_DECLARE)
#undef PASTA_DETAIL_DECLARE
  // Since CUDA 12.3; null in an older driver.
  CUresult (*get_function_name)(char const**, CUfunction) = nullptr;

  /// Finds the functions in the libcuda.so.1 that is loaded. @return "" or half a line: what is missing
  std::string load();

  /// "an illegal memory access was encountered (error 700)"
  std::string explain(CUresult error) const;
};

/// While it lives the calling thread's calls are the collector's own: they may be what a stream capture anywhere in the
/// program would forbid.
class capture_relaxed {
 public:
  explicit capture_relaxed(driver const& with) : driver_(&with) {
    ++depth_;
    driver_->cuThreadExchangeStreamCaptureMode_(&mode_);
  }
  ~capture_relaxed() {
    driver_->cuThreadExchangeStreamCaptureMode_(&mode_);
    --depth_;
  }
  /// Whether the calling thread has one.
  static bool is_active() { return depth_ > 0; }
  capture_relaxed(capture_relaxed const&) = delete;
  capture_relaxed& operator=(capture_relaxed const&) = delete;

 private:
  driver const* driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
  inline static constinit thread_local int depth_ = 0;
};

/// While it lives the context is the calling thread's current one.
class context_pushed {
 public:
  context_pushed(driver const& with, CUcontext context)
      : driver_(&with), is_pushed_(with.cuCtxPushCurrent_(context) == CUDA_SUCCESS) {}
  ~context_pushed() {
    CUcontext popped = nullptr;
    if (is_pushed_) driver_->cuCtxPopCurrent_(&popped);
  }
  context_pushed(context_pushed const&) = delete;
  context_pushed& operator=(context_pushed const&) = delete;
  explicit operator bool() const { return is_pushed_; }

 private:
  driver const* driver_;
  bool is_pushed_;
};

}  // namespace pasta::ptx
#endif
