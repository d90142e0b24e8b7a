// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_CUDA_LAUNCH_TIMER_HPP
#define PASTA_SESSION_CUDA_LAUNCH_TIMER_HPP

#include <pasta/session/cuda/region_pool.hpp>

namespace pasta::detail {

/// One context's times of launches, on the host's time base, from events in the launches' own streams. Guarded by its
/// owner. A time is precise to about a microsecond between a launch's begin and end, and to float's 24 bits of the time
/// since the first launch.
class launch_timer {
 public:
  struct span {
    cudaEvent_t begin = nullptr, end = nullptr;
  };
  enum class state { running, ended, failed };

  /// Before the launch. Both events null if they cannot be had.
  span begin(cudaStream_t stream) {
    if (base_ == nullptr) set_base();
    span made;
    if (!free_.empty()) {
      made = free_.back();
      free_.pop_back();
    } else if (cudaEventCreate(&made.begin) != cudaSuccess || cudaEventCreate(&made.end) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return {};
    }
    static_cast<void>(cudaEventRecord(made.begin, stream));
    return made;
  }
  /// After it.
  static void end(span const& of, cudaStream_t stream) {
    if (of.end != nullptr) static_cast<void>(cudaEventRecord(of.end, stream));
  }

  static state ask(span const& of) {
    cudaError_t const answer = cudaEventQuery(of.end);
    if (answer == cudaSuccess) return state::ended;
    static_cast<void>(cudaGetLastError());
    return answer == cudaErrorNotReady ? state::running : state::failed;
  }

  /// Of an ended launch; its events can then be used again.
  void read(span const& of, std::uint64_t& begin_ns, std::uint64_t& end_ns) {
    float since_base_ms = 0, duration_ms = 0;
    bool const is_known = base_ != nullptr && cudaEventElapsedTime(&since_base_ms, base_, of.begin) == cudaSuccess &&
                          cudaEventElapsedTime(&duration_ms, of.begin, of.end) == cudaSuccess;
    if (!is_known) static_cast<void>(cudaGetLastError());
    begin_ns = base_ns_ + nanoseconds(since_base_ms);
    end_ns = begin_ns + nanoseconds(duration_ms);
    free_.push_back(of);
  }

 private:
  static std::uint64_t nanoseconds(float milliseconds) {
    return milliseconds > 0 ? static_cast<std::uint64_t>(static_cast<double>(milliseconds) * 1e6) : 0;
  }

  // An event in a stream of its own happens at once, whatever the GPU is doing.
  void set_base() {
    cudaStream_t stream = nullptr;
    if (cudaEventCreate(&base_) == cudaSuccess &&
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess) {
      static_cast<void>(cudaEventRecord(base_, stream));
      static_cast<void>(cudaEventSynchronize(base_));
      static_cast<void>(cudaStreamDestroy(stream));
    } else {
      static_cast<void>(cudaGetLastError());
    }
    base_ns_ = get_nanoseconds<vendor::host>{}();
  }

  cudaEvent_t base_ = nullptr;
  std::uint64_t base_ns_ = 0;
  std::vector<span> free_;
};

}  // namespace pasta::detail
#endif
