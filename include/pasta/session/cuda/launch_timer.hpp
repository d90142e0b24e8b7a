// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_CUDA_LAUNCH_TIMER_HPP
#define PASTA_SESSION_CUDA_LAUNCH_TIMER_HPP

#include <deque>
#include <pasta/session/clock_bridge.hpp>
#include <pasta/session/cuda/region_pool.hpp>

namespace pasta::detail {

/// One context's times of launches, on the host's time base, from events in the launches' own streams. Guarded by its
/// owner. A launch's time is what passes between its two events: some microseconds more than the kernel, in an idle
/// stream also what the host takes to launch it. Where it lies on the host's clock is known as well as when a base
/// happened (half of the time that takes), and to half a microsecond.
class launch_timer {
 public:
  /// An event that happened at a known time.
  struct base {
    cudaEvent_t event = nullptr;
    std::uint64_t host_ns = 0;
  };
  struct span {
    cudaEvent_t begin = nullptr, end = nullptr;
    base const* since = nullptr;
  };
  enum class state { running, ended, failed };

  /// Before the launch. Both events null if they cannot be had.
  span begin(cudaStream_t stream) {
    // CUDA gives times between events as a float's 24 bits of milliseconds: 0.5 us of 8 s.
    constexpr std::uint64_t longest_ns = 8'000'000'000;
    std::uint64_t const now = get_nanoseconds<vendor::host>{}();
    if (bases_.empty() || now - bases_.back().host_ns > longest_ns) add_base();
    span made;
    if (!free_.empty()) {
      made = free_.back();
      free_.pop_back();
    } else if (cudaEventCreate(&made.begin) != cudaSuccess || cudaEventCreate(&made.end) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return {};
    }
    made.since = &bases_.back();
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
    bool const is_known = of.since->event != nullptr &&
                          cudaEventElapsedTime(&since_base_ms, of.since->event, of.begin) == cudaSuccess &&
                          cudaEventElapsedTime(&duration_ms, of.begin, of.end) == cudaSuccess;
    if (!is_known) static_cast<void>(cudaGetLastError());
    begin_ns = of.since->host_ns + nanoseconds(since_base_ms);
    end_ns = begin_ns + nanoseconds(duration_ms);
    free_.push_back(of);
  }

 private:
  static std::uint64_t nanoseconds(float milliseconds) {
    return milliseconds > 0 ? static_cast<std::uint64_t>(static_cast<double>(milliseconds) * 1e6) : 0;
  }

  // An event in a stream of its own happens at once, whatever the GPU is doing: between two readings of the host's
  // clock, the closest of some.
  void add_base() {
    outside_of_capture const allowed;
    base& made = bases_.emplace_back();
    cudaStream_t stream = nullptr;
    clock_bridge::reading best;
    bool is_made = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess;
    constexpr int tries = 3;
    for (int i = 0; is_made && i < tries; ++i) {
      cudaEvent_t event = nullptr;
      get_nanoseconds<vendor::host> const now;
      is_made = cudaEventCreate(&event) == cudaSuccess;
      std::uint64_t const before = now();
      is_made = is_made && cudaEventRecord(event, stream) == cudaSuccess && cudaEventSynchronize(event) == cudaSuccess;
      std::uint64_t const after = now();
      bool const is_better = is_made && (made.event == nullptr || after - before < best.width_ns);
      if (is_better) {
        best = {0, before + (after - before) / 2, after - before};
        std::swap(made.event, event);
      }
      if (event != nullptr) static_cast<void>(cudaEventDestroy(event));
    }
    if (stream != nullptr) static_cast<void>(cudaStreamDestroy(stream));
    if (!is_made) static_cast<void>(cudaGetLastError());
    made.host_ns = made.event != nullptr ? best.host_ns : get_nanoseconds<vendor::host>{}();
  }

  std::deque<base> bases_;  // what was added stays where it is
  std::vector<span> free_;
};

}  // namespace pasta::detail
#endif
