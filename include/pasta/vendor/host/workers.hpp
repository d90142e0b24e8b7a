// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The host's "GPU": CPU threads that take blocks of a grid until none is left.
#ifndef PASTA_VENDOR_HOST_WORKERS_HPP
#define PASTA_VENDOR_HOST_WORKERS_HPP

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <pasta/event.hpp>
#include <pasta/vendor/host/block.hpp>
#include <string>
#include <thread>
#include <vector>

namespace pasta::simt {

/// How the host engine is set up.
struct engine_settings {
  std::uint32_t warp_width = 32;         ///< 32 or 64
  std::uint32_t threads = 0;             ///< worker threads, the launching thread included; 0: all cores
  std::size_t stack_bytes = 128 * 1024;  ///< of each lane that has to wait; mapped, touched on use
};

/// What a worker knows while it runs lanes.
struct worker {
  worker(std::size_t stack_bytes, std::uint32_t with_number) : block(stack_bytes), number(with_number) {}
  block_runner block;
  std::uint32_t number;            ///< from 0, unique among the threads of one engine
  void* probe_data = nullptr;      ///< of the launch's probe
  bool is_block_left_out = false;  ///< the block that runs is not in the sample: it runs as without a probe
  /// Tells the launch's probe of a barrier, for code that does not know its type; null without tools. `where` is a
  /// place.
  void (*arrive)(void const* where, barrier_scope) = nullptr;
  /// Likewise of an access.
  void (*access)(void const* where, access_kind, memory_space, void const* address, std::uint64_t size_bytes) = nullptr;
};

namespace detail {
inline constinit thread_local worker* current_worker = nullptr;
}
/// The calling thread's worker while it runs a kernel's lane or a hook, else null.
PASTA_ALWAYS_INLINE worker* current_worker() { return detail::current_worker; }

/// What a launch does on each worker. All but `run_lane` may be null. Called on the worker, current_worker() set.
struct launch_hooks {
  void* argument = nullptr;
  void (*run_lane)(void* argument, std::uint32_t thread) = nullptr;
  void (*begin_worker)(void* argument, worker&) = nullptr;  ///< before its first block
  void (*begin_block)(void* argument, worker&, dim3 block_index) = nullptr;
  void (*end_block)(void* argument, worker&, dim3 block_index) = nullptr;
};

/// Worker threads, kept between launches. A forked child has none of them and needs an engine of its own. One launch
/// at a time: concurrent launches wait for each other, as on one stream.
class engine {
 public:
  explicit engine(engine_settings settings) : settings_(settings) {
    if (settings_.threads == 0) settings_.threads = std::max(1u, std::thread::hardware_concurrency());
    if (settings_.warp_width != 32 && settings_.warp_width != 64)
      throw std::invalid_argument("the warp width is 32 or 64");
  }
  ~engine() { stop_threads(); }
  engine(engine const&) = delete;
  engine& operator=(engine const&) = delete;

  engine_settings const& settings() const { return settings_; }

  /// Runs all blocks of a grid; returns when the last has ended. Any thread that is not inside a kernel.
  /// @throw std::invalid_argument for a shape no GPU accepts; whatever a lane threw (the remaining blocks are then not
  /// started)
  void run(launch_shape const& shape, launch_hooks const& hooks) {
    check(shape);
    if (current_worker() != nullptr) throw std::logic_error("a kernel cannot launch a kernel on the host engine");
    std::lock_guard const one_launch(launch_mutex_);
    job work{shape, hooks, shape.grid.count()};
    std::uint32_t const needed =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(settings_.threads, work.block_count));
    start_threads(needed - 1);
    {
      std::lock_guard const lock(mutex_);
      job_ = &work;
      wanted_ = needed - 1;
      busy_ = needed - 1;
      ++generation_;
    }
    wake_.notify_all();
    take_blocks(*workers_[0], work);
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return busy_ == 0; });
    job_ = nullptr;
    if (work.error) std::rethrow_exception(work.error);
  }

 private:
  struct job {
    launch_shape shape;
    launch_hooks hooks;
    std::uint64_t block_count;
    std::atomic<std::uint64_t> next_block{0};
    std::mutex error_mutex{};
    std::exception_ptr error{};
  };

  static void check(launch_shape const& shape) {
    if (shape.grid.count() == 0 || shape.block.count() == 0)
      throw std::invalid_argument("a grid and a block have at least one thread");
    if (shape.block.count() > max_block_threads || shape.block.z > 64) {
      throw std::invalid_argument("a block has at most 1024 threads, 64 in z");
    }
    if (shape.grid.x > 0x7fffffffu || shape.grid.y > 65535 || shape.grid.z > 65535) {
      throw std::invalid_argument("a grid has at most 2^31-1 x 65535 x 65535 blocks");
    }
    if (shape.shared_bytes > max_shared_bytes)
      throw std::invalid_argument("a block has at most 227 KiB of shared memory");
  }

  // Chunks of blocks, so that the counter is not what workers spend their time on; small enough to end together.
  void take_blocks(worker& self, job& work) {
    detail::current_worker = &self;
    try {
      self.probe_data = nullptr;
      self.is_block_left_out = false;
      self.arrive = nullptr;
      self.access = nullptr;
      self.block.shared().begin_launch(work.shape.shared_bytes);
      if (work.hooks.begin_worker) work.hooks.begin_worker(work.hooks.argument, self);
      std::uint64_t const chunk = std::clamp<std::uint64_t>(work.block_count / (settings_.threads * 16ull), 1, 64);
      for (;;) {
        std::uint64_t const first = work.next_block.fetch_add(chunk, std::memory_order_relaxed);
        if (first >= work.block_count) break;
        std::uint64_t const last = std::min(first + chunk, work.block_count);
        for (std::uint64_t block = first; block < last; ++block) run_block(self, work, block);
      }
    } catch (...) {
      work.next_block.store(work.block_count, std::memory_order_relaxed);
      std::lock_guard const lock(work.error_mutex);
      if (!work.error) work.error = std::current_exception();
    }
    detail::current_worker = nullptr;
  }

  void run_block(worker& self, job& work, std::uint64_t block) {
    dim3 const& grid = work.shape.grid;
    dim3 const index(static_cast<std::uint32_t>(block % grid.x), static_cast<std::uint32_t>(block / grid.x % grid.y),
                     static_cast<std::uint32_t>(block / grid.x / grid.y));
    if (work.hooks.begin_block) work.hooks.begin_block(work.hooks.argument, self, index);
    self.block.run(work.shape, settings_.warp_width, index, work.hooks.run_lane, work.hooks.argument);
    if (work.hooks.end_block) work.hooks.end_block(work.hooks.argument, self, index);
  }

  void start_threads(std::uint32_t count) {
    while (workers_.size() < count + 1u) {
      workers_.push_back(std::make_unique<worker>(settings_.stack_bytes, static_cast<std::uint32_t>(workers_.size())));
    }
    while (threads_.size() < count) {
      auto const number = static_cast<std::uint32_t>(threads_.size()) + 1;
      threads_.emplace_back([this, number, seen = generation_]() mutable { serve(number, seen); });
    }
  }

  void serve(std::uint32_t number, std::uint64_t seen) {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return is_stopping_ || generation_ != seen; });
      if (is_stopping_) return;
      seen = generation_;
      if (number > wanted_) continue;
      job* const work = job_;
      lock.unlock();
      take_blocks(*workers_[number], *work);
      lock.lock();
      if (--busy_ == 0) idle_.notify_one();
    }
  }

  void stop_threads() {
    {
      std::lock_guard const lock(mutex_);
      is_stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  engine_settings settings_;
  std::mutex launch_mutex_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_, idle_;
  std::vector<std::unique_ptr<worker>> workers_;  // [0] belongs to the launching thread
  std::vector<std::thread> threads_;
  job* job_ = nullptr;
  std::uint64_t generation_ = 0;
  std::uint32_t wanted_ = 0, busy_ = 0;
  bool is_stopping_ = false;
};

}  // namespace pasta::simt
#endif
