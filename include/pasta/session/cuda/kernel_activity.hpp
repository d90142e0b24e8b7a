// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_CUDA_KERNEL_ACTIVITY_HPP
#define PASTA_SESSION_CUDA_KERNEL_ACTIVITY_HPP

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <pasta/session/clock_bridge.hpp>
#include <pasta/session/cuda/cupti_api.hpp>
#include <string>
#include <unordered_map>
#include <utility>

namespace pasta::detail {

/// When kernels began and ended, as CUPTI tells. Once in a process, and until its end, since CUPTI calls it. CUPTI says
/// before each launch under which number it will tell of it. Any thread.
class kernel_activity {
 public:
  struct times {
    std::uint64_t begin_ns, end_ns;  // on the host's time base
  };

  static kernel_activity& instance() {
    static auto* const one = new kernel_activity;
    return *one;
  }

  /// Looks for CUPTI at the first call. @return whether it tells of kernels from here on; else problem() says why not
  bool start() {
    std::lock_guard const lock(start_mutex_);
    if (!is_tried_) problem_ = try_to_start();
    is_tried_ = true;
    return problem_.empty();
  }
  /// Half a line. After start().
  std::string const& problem() const { return problem_; }

  /// While it lives, launches of the calling thread are the one that this is about.
  class launch_watch {
   public:
    /// @param of null watches nothing
    explicit launch_watch(kernel_activity* of) : of_(of), before_(std::exchange(watched_, 0)) {
      if (of != nullptr) watched_ = number_ = of->next_number();
    }
    ~launch_watch() {
      watched_ = before_;
      if (of_ != nullptr && !is_kept_) of_->forget(number_);
    }
    launch_watch(launch_watch const&) = delete;
    launch_watch& operator=(launch_watch const&) = delete;
    /// After the launch. @return what take() is asked for, or forget(); 0 if nothing is watched
    std::uint64_t keep() {
      is_kept_ = true;
      return number_;
    }

   private:
    kernel_activity* of_;
    std::uint64_t before_, number_ = 0;
    bool is_kept_ = false;
  };

  /// Times of a launch, once; none if CUPTI has not told of it yet.
  std::optional<times> take(std::uint64_t number) {
    std::lock_guard const lock(mutex_);
    auto const found = launches_.find(number);
    if (found == launches_.end() || !found->second.is_known) return std::nullopt;
    times const told{clocks_.to_host(found->second.start), clocks_.to_host(found->second.end)};
    erase(found);
    return told;
  }
  /// A launch that take() will not be asked for.
  void forget(std::uint64_t number) {
    std::lock_guard const lock(mutex_);
    if (auto const found = launches_.find(number); found != launches_.end()) erase(found);
  }

  /// Has CUPTI hand over what it knows of kernels that have ended, and compares the clocks anew.
  void flush() {
    api_.flush_all(0);
    read_clock();
  }
  /// See clock_bridge.
  std::uint64_t error_ns() {
    std::lock_guard const lock(mutex_);
    return clocks_.error_ns();
  }

 private:
  struct launch {
    std::uint32_t correlations[4] = {};  // the runtime's call, and the driver's in it
    std::size_t correlation_count = 0;
    std::uint64_t start = 0, end = 0;  // CUPTI's clock
    bool is_known = false;
  };
  using launch_map = std::unordered_map<std::uint64_t, launch>;

  kernel_activity() = default;

  std::string try_to_start() {
    opened_cupti const opened = open_cupti();
    if (opened.library == nullptr) return opened.problem;
    // What comes after CUDA 13 may have another layout.
    constexpr std::uint32_t first_version = 18, version_behind = 140000;
    std::uint32_t version = 0;
    if (!api_.load(opened.library) || api_.get_version(&version) != cupti::success || version < first_version ||
        version >= version_behind) {
      return fmt::format("{} is not CUPTI of CUDA 12 or 13", visible(opened.path));
    }
    void* subscriber = nullptr;
    int error = api_.subscribe(&subscriber, &before_call, nullptr);
    if (error == cupti::taken) return "another tool has CUPTI";
    if (error != cupti::success) return refusal(error);
    for (std::uint32_t const which : cupti::runtime_launches) {
      api_.enable_callback(1, subscriber, cupti::runtime_api, which);
    }
    for (std::uint32_t const which : cupti::driver_launches) {
      api_.enable_callback(1, subscriber, cupti::driver_api, which);
    }
    error = api_.register_callbacks(&give_buffer, &read_buffer);
    if (error == cupti::success) error = api_.enable(cupti::concurrent_kernel);
    if (error != cupti::success) {
      api_.unsubscribe(subscriber);
      return refusal(error);
    }
    read_clock();
    return "";
  }
  static std::string refusal(int error) { return fmt::format("CUPTI refused to tell of kernels (error {})", error); }

  void read_clock() {
    clock_bridge::reading const taken = clock_bridge::read([this] {
      std::uint64_t now = 0;
      api_.get_timestamp(&now);
      return now;
    });
    std::lock_guard const lock(mutex_);
    clocks_.add(taken);
  }

  std::uint64_t next_number() {
    std::lock_guard const lock(mutex_);
    return ++numbers_;
  }
  void erase(launch_map::iterator which) {
    launch const& gone = which->second;
    for (std::size_t i = 0; i < gone.correlation_count; ++i) numbers_of_.erase(gone.correlations[i]);
    launches_.erase(which);
  }

  // CUPTI's callbacks.
  static void before_call(void*, std::uint32_t, std::uint32_t, void const* data) {
    auto const& call = *static_cast<cupti::call_data const*>(data);
    if (call.site != 0 || watched_ == 0) return;
    kernel_activity& self = instance();
    try {
      std::lock_guard const lock(self.mutex_);
      launch& of = self.launches_[watched_];
      if (of.correlation_count == std::size(of.correlations)) return;
      of.correlations[of.correlation_count++] = call.correlation;
      self.numbers_of_[call.correlation] = watched_;
    } catch (std::bad_alloc const&) {  // its time then comes from events
    }
  }
  static void give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
    constexpr std::size_t alignment = 8, usual_bytes = std::size_t{256} << 10;
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, usual_bytes));
    *bytes = *buffer != nullptr ? usual_bytes : 0;
    *most_records = 0;  // as many as there is room for
  }
  static void read_buffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t filled_bytes) {
    kernel_activity& self = instance();
    void* record = nullptr;
    while (filled_bytes > 0 && self.api_.next_record(buffer, filled_bytes, &record) == cupti::success) {
      std::uint32_t kind = 0;
      std::memcpy(&kind, record, sizeof kind);
      if (kind == cupti::concurrent_kernel) self.add(*static_cast<cupti::kernel_record const*>(record));
    }
    std::free(buffer);
  }
  void add(cupti::kernel_record const& of) {
    std::lock_guard const lock(mutex_);
    auto const number = numbers_of_.find(of.correlation);
    if (number == numbers_of_.end() || of.start == 0 || of.end < of.start) return;  // 0: CUPTI could not tell
    launch& known = launches_[number->second];
    known.start = of.start;
    known.end = of.end;
    known.is_known = true;
  }

  inline static thread_local std::uint64_t watched_ = 0;

  std::mutex start_mutex_;
  bool is_tried_ = false;
  std::string problem_;
  cupti::functions api_{};
  std::mutex mutex_;  // guards what follows; held for moments only, never while CUPTI is called
  std::uint64_t numbers_ = 0;
  launch_map launches_;                                          // [number]
  std::unordered_map<std::uint32_t, std::uint64_t> numbers_of_;  // [correlation]
  clock_bridge clocks_;
};

}  // namespace pasta::detail
#endif
