// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_CUDA_ERROR_HPP
#define PASTA_VENDOR_CUDA_ERROR_HPP

#include <cuda_runtime_api.h>

#include <pasta/vendor/vendor_error.hpp>

namespace pasta::simt {

/// One line that says what is wrong and, where it is known, what helps. @param what_failed "cannot launch vector_add"
inline std::string explain(cudaError_t error, std::string const& what_failed) {
  auto const version = [](int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  };
  int driver = 0, runtime = 0;
  switch (error) {
    case cudaErrorNoDevice:
      return what_failed + ": no NVIDIA GPU was found (is CUDA_VISIBLE_DEVICES set?)";
    case cudaErrorInsufficientDriver:
      cudaDriverGetVersion(&driver);
      cudaRuntimeGetVersion(&runtime);
      return driver == 0 ? what_failed + ": there is no NVIDIA driver on this machine"
                         : what_failed + ": the NVIDIA driver is too old: it has CUDA " + version(driver) +
                               ", this program needs " + version(runtime);
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidPtx:
    case cudaErrorUnsupportedPtxVersion: {
      int device = 0, major = 0, minor = 0;
      cudaGetDevice(&device);
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
      std::string const architecture = std::to_string(major) + std::to_string(minor);
      if (major * 10 + minor < 75)
        return what_failed + ": this GPU is sm_" + architecture + "; PASTA needs sm_75 or newer";
      return what_failed + ": this program was not compiled for this GPU; compile it with nvcc -arch=sm_" +
             architecture;
    }
    case cudaErrorMemoryAllocation:
      return what_failed + ": the GPU's memory is exhausted";
    default:
      return what_failed + ": " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")";
  }
}

/// @throw vendor_error unless the call succeeded; the runtime's last error is then taken back
inline void check(cudaError_t error, std::string const& what_failed) {
  if (error == cudaSuccess) return;
  std::string const line = explain(error, what_failed);
  static_cast<void>(cudaGetLastError());
  throw vendor_error(line);
}

}  // namespace pasta::simt
#endif
