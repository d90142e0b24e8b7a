// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_GPU_DEVICE_MEMORY_HPP
#define PASTA_SESSION_GPU_DEVICE_MEMORY_HPP

#include <pasta/vendor/current.hpp>

namespace pasta::detail {

/// The current GPU's memory, for a shadow_keeper; also while the thread captures a stream.
class device_memory {
  using runtime = simt::runtime;

 public:
  /// @param has_captured whether streams may be captured from now on: one that is must not be waited for
  explicit device_memory(bool const& has_captured) : has_captured_(&has_captured) {}

  void* allocate(std::size_t bytes) {
    void* const memory = runtime::allocate(bytes);
    if (memory == nullptr || clear(memory, bytes)) return memory;
    runtime::release(memory);
    return nullptr;
  }
  void release(void* memory) { runtime::release(memory); }
  bool read(void* to, void const* from, std::size_t bytes) {
    return runtime::copy(to, from, bytes, stream_) && runtime::wait_for(stream_);
  }
  bool write(void* to, void const* from, std::size_t bytes) {
    return runtime::copy(to, from, bytes, stream_) && runtime::wait_for(stream_);
  }
  bool clear(void* memory, std::size_t bytes) {
    return runtime::clear(memory, bytes, stream_) && runtime::wait_for(stream_);
  }
  bool wait() { return !*has_captured_ && runtime::wait_for_device({}).empty(); }

 private:
  bool const* has_captured_;
  runtime::stream stream_ = runtime::make_stream();  // waits for none of the program's, nor they for it
};

}  // namespace pasta::detail
#endif
