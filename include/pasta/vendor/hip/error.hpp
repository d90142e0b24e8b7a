// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_HIP_ERROR_HPP
#define PASTA_VENDOR_HIP_ERROR_HPP

#include <hip/hip_runtime_api.h>

#include <pasta/vendor/vendor_error.hpp>

namespace pasta::simt {

/// One line that says what is wrong and, where it is known, what helps. @param what_failed "cannot launch vector_add"
inline std::string explain(hipError_t error, std::string const& what_failed) {
  switch (error) {
    case hipErrorNoDevice:
    case hipErrorInvalidDevice:  // what the runtime says of the first device where there is none
      return what_failed + ": no AMD GPU was found (is HIP_VISIBLE_DEVICES set? is /dev/kfd readable?)";
    case hipErrorInsufficientDriver:
      return what_failed + ": the amdgpu driver is too old for this program's HIP runtime";
    case hipErrorNoBinaryForGpu:
    case hipErrorInvalidDeviceFunction: {
      int device = 0;
      hipDeviceProp_t properties{};
      bool const is_known =
          hipGetDevice(&device) == hipSuccess && hipGetDeviceProperties(&properties, device) == hipSuccess;
      return what_failed + ": this program was not compiled for this GPU; compile it with hipcc --offload-arch=" +
             (is_known ? properties.gcnArchName : "(what rocminfo shows)");
    }
    case hipErrorOutOfMemory:
      return what_failed + ": the GPU's memory is exhausted";
    default:
      return what_failed + ": " + hipGetErrorString(error) + " (" + hipGetErrorName(error) + ")";
  }
}

/// @throw vendor_error unless the call succeeded; the runtime's last error is then taken back
inline void check(hipError_t error, std::string const& what_failed) {
  if (error == hipSuccess) return;
  std::string const line = explain(error, what_failed);
  static_cast<void>(hipGetLastError());
  throw vendor_error(line);
}

}  // namespace pasta::simt
#endif
