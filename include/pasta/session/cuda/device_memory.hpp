// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_CUDA_DEVICE_MEMORY_HPP
#define PASTA_SESSION_CUDA_DEVICE_MEMORY_HPP

#include <pasta/session/cuda/region_pool.hpp>

namespace pasta::detail {

/// The current GPU's memory, for a shadow_keeper; also while the thread captures a stream.
class device_memory {
 public:
  /// @param has_captured whether streams may be captured from now on: one that is must not be waited for
  explicit device_memory(bool const& has_captured) : has_captured_(&has_captured) {
    outside_of_capture const allowed;
    if (cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      stream_ = nullptr;
    }
  }

  void* allocate(std::size_t bytes) {
    outside_of_capture const allowed;
    void* memory = nullptr;
    if (stream_ == nullptr || !is_done(cudaMalloc(&memory, bytes))) return nullptr;
    if (clear(memory, bytes)) return memory;
    release(memory);
    return nullptr;
  }
  void release(void* memory) {
    outside_of_capture const allowed;
    static_cast<void>(is_done(cudaFree(memory)));
  }
  bool read(void* to, void const* from, std::size_t bytes) {
    return is_done(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_)) && is_stream_done();
  }
  bool write(void* to, void const* from, std::size_t bytes) {
    return is_done(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_)) && is_stream_done();
  }
  bool clear(void* memory, std::size_t bytes) {
    return is_done(cudaMemsetAsync(memory, 0, bytes, stream_)) && is_stream_done();
  }
  bool wait() { return !*has_captured_ && is_done(cudaDeviceSynchronize()); }

 private:
  bool is_stream_done() { return is_done(cudaStreamSynchronize(stream_)); }
  static bool is_done(cudaError_t error) {
    if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
    return error == cudaSuccess;
  }

  bool const* has_captured_;
  cudaStream_t stream_ = nullptr;  // waits for none of the program's, nor they for it; goes with its context
};

}  // namespace pasta::detail
#endif
