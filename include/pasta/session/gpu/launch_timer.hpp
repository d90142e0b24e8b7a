// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_GPU_LAUNCH_TIMER_HPP
#define PASTA_SESSION_GPU_LAUNCH_TIMER_HPP

#include <cstdint>
#include <pasta/vendor/current.hpp>
#include <vector>

namespace pasta::detail {

/// One device's times of launches, on the host's time base, from events in the launches' own streams. Guarded by its
/// owner. A time is precise to about a microsecond between a launch's begin and end, and to float's 24 bits of the time
/// since the first launch.
class launch_timer {
 public:
  using runtime = simt::runtime;
  struct span {
    runtime::event begin = nullptr, end = nullptr;
  };

  /// Before the launch. Both events null if they cannot be had.
  span begin(runtime::stream stream) {
    if (base_ == nullptr) set_base();
    span made;
    if (!free_.empty()) {
      made = free_.back();
      free_.pop_back();
    } else {
      made = {runtime::make_event(), runtime::make_event()};
    }
    if (made.begin == nullptr || made.end == nullptr || !runtime::record(made.begin, stream)) return {};
    return made;
  }
  /// After it.
  static void end(span const& of, runtime::stream stream) {
    if (of.end != nullptr) runtime::record(of.end, stream);
  }

  /// Of an ended launch; its events can then be used again.
  void read(span const& of, std::uint64_t& begin_ns, std::uint64_t& end_ns) {
    begin_ns = base_ns_ + nanoseconds(base_ == nullptr ? -1 : runtime::time_between(base_, of.begin));
    end_ns = begin_ns + nanoseconds(runtime::time_between(of.begin, of.end));
    free_.push_back(of);
  }

 private:
  static std::uint64_t nanoseconds(float milliseconds) {
    return milliseconds > 0 ? static_cast<std::uint64_t>(static_cast<double>(milliseconds) * 1e6) : 0;
  }

  // An event in a stream of its own happens at once, whatever the GPU is doing.
  void set_base() {
    base_ = runtime::make_event();
    runtime::stream const stream = runtime::make_stream();
    if (base_ != nullptr && stream != nullptr && runtime::record(base_, stream)) runtime::wait_for(base_);
    base_ns_ = get_nanoseconds<vendor::host>{}();
  }

  runtime::event base_ = nullptr;
  std::uint64_t base_ns_ = 0;
  std::vector<span> free_;
};

}  // namespace pasta::detail
#endif
