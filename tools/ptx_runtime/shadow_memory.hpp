// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTX_RUNTIME_SHADOW_MEMORY_HPP
#define PASTA_TOOLS_PTX_RUNTIME_SHADOW_MEMORY_HPP

#include <functional>
#include <pasta/session/shadow_keeper.hpp>

#include "driver.hpp"

namespace pasta::ptx {

/// A context's memory, for a shadow_keeper. While the context is current and the thread's calls are the collector's.
class shadow_memory {
 public:
  /// @param may_wait whether kernels may be waited for @param detach takes the views away from the kernels that start
  /// from then on
  shadow_memory(driver const& with, CUstream stream, std::function<bool()> may_wait, std::function<void()> detach)
      : driver_(&with), stream_(stream), may_wait_(std::move(may_wait)), detach_(std::move(detach)) {}

  void* allocate(std::size_t bytes) const {
    CUdeviceptr memory = 0;
    if (driver_->cuMemAlloc_(&memory, bytes) != CUDA_SUCCESS) return nullptr;
    if (clear(to_pointer(memory), bytes)) return to_pointer(memory);
    release(to_pointer(memory));
    return nullptr;
  }
  void release(void* memory) const { static_cast<void>(driver_->cuMemFree_(to_address(memory))); }
  bool read(void* to, void const* from, std::size_t bytes) const {
    return is_done(driver_->cuMemcpyDtoHAsync_(to, to_address(from), bytes, stream_));
  }
  bool write(void* to, void const* from, std::size_t bytes) const {
    return is_done(driver_->cuMemcpyHtoDAsync_(to_address(to), from, bytes, stream_));
  }
  bool clear(void* memory, std::size_t bytes) const {
    return is_done(driver_->cuMemsetD8Async_(to_address(memory), 0, bytes, stream_));
  }
  bool wait() const { return may_wait_() && driver_->cuCtxSynchronize_() == CUDA_SUCCESS; }
  void detach() const { detach_(); }

 private:
  static void* to_pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
  static CUdeviceptr to_address(void const* memory) { return reinterpret_cast<CUdeviceptr>(memory); }
  bool is_done(CUresult result) const {
    return result == CUDA_SUCCESS && driver_->cuStreamSynchronize_(stream_) == CUDA_SUCCESS;
  }

  driver const* driver_;
  CUstream stream_;
  std::function<bool()> may_wait_;
  std::function<void()> detach_;
};

using shadow_keeper = pasta::detail::shadow_keeper<shadow_memory>;

}  // namespace pasta::ptx
#endif
