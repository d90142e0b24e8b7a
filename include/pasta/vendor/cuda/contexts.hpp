// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_CUDA_CONTEXTS_HPP
#define PASTA_VENDOR_CUDA_CONTEXTS_HPP

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdint>

namespace pasta::simt {

namespace detail {
// A function of the driver; the program need not link it.
inline void* driver_function(char const* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  cudaError_t const error = cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
#else
  cudaError_t const error = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  return error == cudaSuccess && found == cudaDriverEntryPointSuccess ? function : nullptr;
}
}  // namespace detail

/// The calling thread's context: unique in the process, another one after a device reset. 0 where the driver does not
/// tell. A thread that has none yet gets that of its device, as its first launch would give it. Any thread.
inline std::uint64_t current_context() {
  static auto const get_id =
      reinterpret_cast<CUresult (*)(CUcontext, unsigned long long*)>(detail::driver_function("cuCtxGetId"));
  unsigned long long id = 0;
  if (get_id == nullptr) return 0;
  if (get_id(nullptr, &id) == CUDA_SUCCESS) return id;
  if (cudaFree(nullptr) != cudaSuccess) static_cast<void>(cudaGetLastError());
  return get_id(nullptr, &id) == CUDA_SUCCESS ? id : 0;
}

}  // namespace pasta::simt
#endif
