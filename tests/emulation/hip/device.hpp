// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The only device: a host engine, and what its lanes are asked for.
#ifndef PASTA_TESTS_EMULATION_HIP_DEVICE_HPP
#define PASTA_TESTS_EMULATION_HIP_DEVICE_HPP

#include <atomic>
#include <memory>
#include <mutex>
#include <pasta/vendor/host/workers.hpp>

#include "program_points.hpp"

namespace hip_emulation {

class device {
 public:
  static device& only();

  pasta::simt::engine& engine();
  void set(std::uint32_t wave_width, std::uint32_t threads);
  std::uint32_t wave_width();

  /// The number of a point of the program that the calling lane is at, the same until forget_points().
  std::uint64_t number_of(call_path const& path);
  /// Between launches: a kernel's points need numbers between them.
  void forget_points();
  /// A launch begins; they run one after the other.
  void begin_dispatch() { dispatches_.fetch_add(1); }
  std::uint64_t dispatch_number() const { return dispatches_.load() - 1; }
  /// How often points were forgotten.
  std::uint64_t generation() const { return generation_; }

 private:
  std::mutex mutex_;
  std::unique_ptr<pasta::simt::engine> engine_;
  std::mutex points_mutex_;  // worker threads share the numbers, though each warp is on one of them
  program_points points_;
  std::uint64_t generation_ = 0;
  std::atomic<std::uint64_t> dispatches_{0};
};

}  // namespace hip_emulation
#endif
