// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_HIP_RUNTIME_SHADOW_MEMORY_HPP
#define PASTA_TOOLS_HIP_RUNTIME_SHADOW_MEMORY_HPP

#include <functional>
#include <pasta/session/shadow_keeper.hpp>

#include "runtime.hpp"

namespace pasta::hip_runtime {

/// A device's memory, for a shadow_keeper. While the thread's calls are the collector's own, on this device.
class shadow_memory {
 public:
  /// @param stream own: waits for no kernel @param detach takes the views away from the kernels that start from then on
  shadow_memory(runtime const& with, hipStream_t stream, std::function<void()> detach)
      : runtime_(&with), stream_(stream), detach_(std::move(detach)) {}

  void* allocate(std::size_t bytes) const {
    void* memory = nullptr;
    if (!is_taken(runtime_->allocate(&memory, bytes))) return nullptr;
    if (clear(memory, bytes)) return memory;
    release(memory);
    return nullptr;
  }
  void release(void* memory) const { static_cast<void>(is_taken(runtime_->release(memory))); }
  bool read(void* to, void const* from, std::size_t bytes) const {
    return is_done(runtime_->copy_async(to, from, bytes, hipMemcpyDeviceToHost, stream_));
  }
  bool write(void* to, void const* from, std::size_t bytes) const {
    return is_done(runtime_->copy_async(to, from, bytes, hipMemcpyHostToDevice, stream_));
  }
  bool clear(void* memory, std::size_t bytes) const { return is_done(runtime_->set_async(memory, 0, bytes, stream_)); }
  bool wait() const { return is_taken(runtime_->wait_for_device()); }
  void detach() const { detach_(); }

 private:
  // The runtime's last error is the program's to find.
  bool is_taken(hipError_t result) const {
    if (result != hipSuccess) static_cast<void>(runtime_->get_last_error());
    return result == hipSuccess;
  }
  bool is_done(hipError_t result) const { return is_taken(result) && is_taken(runtime_->wait_for_stream(stream_)); }

  runtime const* runtime_;
  hipStream_t stream_;
  std::function<void()> detach_;
};

using shadow_keeper = pasta::detail::shadow_keeper<shadow_memory>;

}  // namespace pasta::hip_runtime
#endif
