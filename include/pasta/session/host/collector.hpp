// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_HOST_COLLECTOR_HPP
#define PASTA_SESSION_HOST_COLLECTOR_HPP

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <pasta/session/block_tally.hpp>
#include <pasta/session/crash_watch.hpp>
#include <pasta/session/host/executor.hpp>
#include <pasta/session/host/host_memory.hpp>
#include <pasta/session/shadow_keeper.hpp>
#include <set>

namespace pasta {

/// Runs kernels under the tools of a run and keeps what they collect: on the host, a shard for each worker. The same
/// members for every vendor.
template <class ToolOrPack>
class collector {
 public:
  using tools = tools_of_t<ToolOrPack>;
  using site_states = typename detail::states_of<tools>::site;
  using kernel_states = typename detail::states_of<tools>::kernel;
  using launch_states = typename detail::states_of<tools>::launch;
  using program_states = typename detail::states_of<tools>::program;
  using options_type = typename detail::states_of<tools>::options;

  /// In how many parts a sample is dealt: each has shards of its own.
  static constexpr std::uint32_t sample_parts = sample_part_count;

  /// What was collected about one kernel, or about one launch.
  class store {
   public:
    /// `f(site_info, executions, site_states)` for each site; a site may come more than once.
    template <class Function>
    void for_each_site(Function&& f) const {
      for (auto const& part : shards_) {
        if (!part) continue;
        part->for_each_row([&](site_row<tools> const& row) {
          f(describe(row.key, warp_width_), row.executions, static_cast<site_states const&>(row.states));
        });
      }
    }
    void merge_into(kernel_states& kernel, launch_states& launch) const {
      for (auto const& part : shards_) {
        if (!part) continue;
        detail::merge_states(kernel, part->kernel_states);
        detail::merge_states(launch, part->launch_states);
      }
    }
    std::uint64_t events_dropped() const { return 0; }
    /// Events of sites in each part of a sample; empty: parts are not known.
    std::vector<double> part_events() const {
      std::vector<double> events(part_events_.begin(), part_events_.end());
      for (std::size_t i = 0; i < shards_.size() && !is_merged_; ++i) {
        if (shards_[i])
          shards_[i]->for_each_row(
              [&](auto const& row) { events[i % sample_parts] += static_cast<double>(row.executions); });
      }
      return events;
    }
    /// As of the last fetch().
    touched_memory touched() const { return shadow_ == nullptr ? touched_memory() : shadow_->touched(); }

   private:
    friend collector;
    typename detail::shadow_keeper<detail::host_memory>::kernel* shadow_ = nullptr;  // null: no launch had any
    std::vector<std::unique_ptr<shard<tools>>> shards_;                              // [worker][part of the sample]
    std::array<double, sample_parts> part_events_{};                                 // of shards that were merged
    bool is_merged_ = false;
    std::uint32_t warp_width_ = 0;
  };

  /// What the launches of a run share.
  struct launch_request {
    store* into;
    launch_shape const* shape;
    std::uint64_t stream;
    scope per;
    block_sample blocks;     ///< that are analysed
    std::uint32_t part = 0;  ///< of the sample, where all blocks are
  };

  explicit collector(executor& runs) : runs_(&runs) {}

  /// Runs a kernel; `ended(begin_ns, end_ns)` is called when it has ended, here before this returns. Any thread.
  /// @throw whatever the kernel or the engine throws; `ended` is then not called
  template <class Kernel, class... Arguments>
  void launch(launch_request const& request, options_type const& options,
              std::function<void(std::uint64_t, std::uint64_t)> const& ended, Kernel const& kernel,
              Arguments const&... arguments) {
    detail::kernel_call<probe<ToolOrPack>, Kernel, Arguments...> call(kernel, arguments...);
    detail::shadow_view const shadow = prepare_shadow(*request.into, options);
    running_launch const running{running_};
    call.prepare_worker = [&](simt::worker& self) { prepare(self, request, options, shadow); };
    if (!request.blocks.is_everything()) {
      call.choose_block = [&](simt::worker& self, std::uint64_t block) { return choose(self, request, block); };
    }
    get_nanoseconds<vendor::host> const now;
    std::uint64_t const begin_ns = now();
    call.run(runs_->engine(), *request.shape);
    std::uint64_t const end_ns = now();
    if (request.per == scope::launch) {
      std::lock_guard const lock(mutex_);
      merge_shards(*request.into);
      if (auto* const its = request.into->shadow_; its != nullptr && shadow_->read(*its)) shadow_->retire(*its);
    }
    ended(begin_ns, end_ns);
  }

  /// Makes what was collected readable; nothing to do where it lies in host memory.
  void fetch(std::vector<store*> const& stores, std::set<std::string>&) {
    std::lock_guard const lock(mutex_);
    for (store* const one : stores) {
      if (one->shadow_ == nullptr) continue;
      running_.load(std::memory_order_acquire) == 0 ? shadow_->read(*one->shadow_) : shadow_->look(*one->shadow_);
    }
  }

  /// The program has allocated memory, or releases it: for tools with shadow bits. Any thread.
  void memory_changed(allocation const& what) {
    if constexpr (detail::any_shadow_v<tools>) {
      std::lock_guard const lock(mutex_);
      if (what.size_bytes == 0) return;
      auto const added = allocations_.add(what.address, what.size_bytes, what.device, what.time_ns);
      if (shadow_ == nullptr) return;
      for (auto const& ended : added.ended) shadow_->released(ended.address);
      shadow_->allocated(added.record);
    }
  }
  void memory_changed(deallocation const& what) {
    if constexpr (detail::any_shadow_v<tools>) {
      std::lock_guard const lock(mutex_);
      if (allocations_.remove(what.address) && shadow_ != nullptr) shadow_->released(what.address);
    }
  }

  void merge_into(program_states& into) const {
    for (auto const& worker : workers_) detail::merge_states(into, worker.program_states);
  }

  /// What the report says about handlers that went wrong.
  void add_notes(std::vector<store const*> const& stores, std::set<std::string>& notes) const {
    for (auto const& worker : workers_) {
      if (!worker.handler_error.empty()) {
        notes.insert(fmt::format("a handler in a kernel failed: {}", worker.handler_error));
      }
    }
    if (shadow_ != nullptr) shadow_->add_notes(notes);
    std::uint64_t mismatched = 0;
    for (store const* const one : stores) {
      for (auto const& part : one->shards_) mismatched += part ? part->mismatched_exchanges : 0;
    }
    if (mismatched > 0) {
      notes.insert(fmt::format(
          "in {} blocks a handler's warp operation was not reached by all lanes of its mask: what it gave is wrong",
          mismatched));
    }
  }

 private:
  // From prepare_shadow() on until the kernel has ended, however it does.
  struct running_launch {
    std::atomic<int>& count;
    ~running_launch() { count.fetch_sub(1, std::memory_order_release); }
  };

  // A launch that is kept apart and has ended needs one shard, not one for each worker.
  static void merge_shards(store& of) {
    std::vector<double> const events = of.part_events();
    std::copy(events.begin(), events.end(), of.part_events_.begin());
    of.is_merged_ = true;
    std::unique_ptr<shard<tools>> all;
    for (auto& part : of.shards_) {
      if (part != nullptr && all != nullptr) all->absorb(*part);
      if (part != nullptr && all == nullptr) all = std::move(part);
    }
    of.shards_.clear();
    of.shards_.push_back(std::move(all));
  }

  shard<tools>* shard_of(simt::worker const& self, store& into, std::uint32_t part) {
    std::size_t const place = self.number * std::size_t{sample_parts} + part;
    if (into.shards_.size() <= place) into.shards_.resize((self.number + 1) * std::size_t{sample_parts});
    if (!into.shards_[place]) into.shards_[place] = std::make_unique<shard<tools>>();
    return into.shards_[place].get();
  }

  // Before a block: whether it is in the sample, and where what it does is added to.
  bool choose(simt::worker& self, launch_request const& request, std::uint64_t block) {
    std::uint32_t const hash = block_hash(static_cast<std::uint32_t>(block), request.blocks.seed);
    bool const is_in = request.blocks.has(hash);
    self.arrive = is_in ? &arrive : nullptr;
    self.access = is_in ? &access : nullptr;
    if (!is_in || request.part != sample_count::by_block) return is_in;
    std::lock_guard const lock(mutex_);
    static_cast<worker_data<tools>*>(self.probe_data)->kernel =
        shard_of(self, *request.into, block_tally::part_of(hash));
    return true;
  }

  static void arrive(void const* where, barrier_scope reach) {
    probe<ToolOrPack>::arrive({}, *static_cast<place const*>(where), reach);
  }
  static void access(void const* where, access_kind kind, memory_space space, void const* address, std::uint64_t size) {
    probe<ToolOrPack>::access({}, *static_cast<place const*>(where), kind, space, address, size);
  }

  detail::shadow_view prepare_shadow(store& into, options_type const& options) {
    if constexpr (detail::any_shadow_v<tools>) {
      std::lock_guard const lock(mutex_);
      if (shadow_ == nullptr) {
        shadow_ = std::make_unique<detail::shadow_keeper<detail::host_memory>>(detail::request_shadow(tools{}, options),
                                                                               detail::host_memory{&running_});
        allocations_.for_each([&](allocation_record const& live) { shadow_->allocated(live); });
      }
      if (into.shadow_ == nullptr) into.shadow_ = shadow_->make_kernel();
      detail::shadow_view const made = shadow_->prepare(*into.shadow_, true);
      ++running_;
      return made;
    } else {
      ++running_;
      return {};
    }
  }

  void prepare(simt::worker& self, launch_request const& request, options_type const& options,
               detail::shadow_view const& shadow) {
    crash_watch::use_own_signal_stack();
    store& into = *request.into;
    std::lock_guard const lock(mutex_);
    into.warp_width_ = runs_->warp_width();
    while (workers_.size() <= self.number) workers_.emplace_back();
    worker_data<tools>& data = workers_[self.number];
    data.kernel = shard_of(self, into, request.part == sample_count::by_block ? 0 : request.part);
    data.options = &options;
    data.shadow = &shadow;
    if constexpr (detail::any_thread_state_v<tools>) {
      if (!data.threads)
        data.threads = std::make_unique<typename detail::states_of<tools>::thread[]>(simt::max_block_threads);
    }
    self.probe_data = &data;
    self.arrive = &arrive;
    self.access = &access;
  }

  executor* runs_;
  std::mutex mutex_;                        // the lists of shards and workers; their contents belong to a worker each
  std::deque<worker_data<tools>> workers_;  // [worker]
  allocation_map allocations_;
  std::atomic<int> running_{0};                                         // launches
  std::unique_ptr<detail::shadow_keeper<detail::host_memory>> shadow_;  // from the first launch, of tools with any
};

}  // namespace pasta
#endif
