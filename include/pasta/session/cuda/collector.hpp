// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_CUDA_COLLECTOR_HPP
#define PASTA_SESSION_CUDA_COLLECTOR_HPP

#include <array>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <pasta/instrument/cuda/settle.hpp>
#include <pasta/session/block_tally.hpp>
#include <pasta/session/cuda/device_kept.hpp>
#include <pasta/session/cuda/device_memory.hpp>
#include <pasta/session/cuda/device_text.hpp>
#include <pasta/session/cuda/launch_timer.hpp>
#include <pasta/session/cuda/merge_tools.hpp>
#include <pasta/session/cuda/probed_kernel.hpp>
#include <pasta/session/shadow_keeper.hpp>
#include <set>

namespace pasta {

/// Runs kernels under the tools of a run and keeps what they collect: in the GPU's memory, merged from all launches,
/// until the report is made. No launch is waited for, but with `--per launch` when that memory is full. The same
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
  using region = detail::region_of<tools>;

  /// Most memory of a GPU that results take [bytes].
  static constexpr std::size_t memory_limit_bytes = std::size_t{16} << 20;

 private:
  struct context_state;
  // A kernel's memory in one context.
  struct placed {
    context_state* context;
    unsigned char* memory;  // of the GPU
    std::uint32_t shard_count;
    std::uint64_t unread_launches = 0;  // that have ended; of all parts in the first
    std::uint32_t part = 0;             // of a sample
  };
  // A kernel's shadow memory in one context.
  using keeper = detail::shadow_keeper<detail::device_memory>;
  struct placed_shadow {
    context_state* context;
    typename keeper::kernel* kernel;
  };
  // What was read from it, merged.
  struct site_total {
    std::uint64_t executions = 0;
    site_states states{};
  };

 public:
  /// In how many parts a sample is dealt: each takes memory of its own.
  static constexpr std::uint32_t sample_parts = sample_part_count / 2;

  /// What was collected about one kernel, or about one launch.
  class store {
   public:
    /// `f(site_info, executions, site_states)` for each site. As of the last fetch().
    template <class Function>
    void for_each_site(Function&& f) const {
      for (auto const& [where, total] : sites_) f(where, total.executions, total.states);
    }
    void merge_into(kernel_states& kernel, launch_states& launch) const {
      detail::merge_states(kernel, kernel_);
      detail::merge_states(launch, launch_);
    }
    std::uint64_t events_dropped() const { return dropped_; }
    /// Events of sites in each part of a sample, as of the last fetch(); empty: parts are not known.
    std::vector<double> part_events() const {
      if (are_parts_merged_) return {};
      return {part_events_.begin(), part_events_.end()};
    }
    /// Of a tool with shadow bits. As of the last fetch().
    touched_memory touched() const {
      touched_memory all;
      for (placed_shadow const& each : shadows_) all.merge(each.kernel->touched());
      return all;
    }
    /// Launches that have ended, and whose results were lost afterwards, with their context.
    std::uint64_t launches_lost() const { return lost_; }

   private:
    friend collector;
    std::vector<placed> regions_;         // one for each context
    std::vector<placed_shadow> shadows_;  // likewise
    std::map<site_info, site_total> sites_;
    kernel_states kernel_{};
    launch_states launch_{};
    program_states program_{};
    std::uint64_t dropped_ = 0, launches_without_memory_ = 0, lost_ = 0;
    std::array<double, sample_parts> part_events_{};
    bool are_parts_merged_ = false;  // there was no memory for each
  };

  struct launch_request {
    store* into;
    launch_shape const* shape;
    std::uint64_t stream;
    scope per;
    block_sample blocks;     ///< all: blocks are not sampled on a GPU
    std::uint32_t part = 0;  ///< of the sample
  };

  explicit collector(executor& runs) : runs_(&runs) {}
  /// Waits for all launches, since they write to its memory.
  ~collector() {
    detail::device_kept const kept;
    for (auto& context : contexts_) {
      if (context.is_lost || cudaSetDevice(context.device) != cudaSuccess || simt::current_context() != context.id) {
        continue;
      }
      static_cast<void>(cudaDeviceSynchronize());
      context.pool.release();
      if (context.shadow) context.shadow->release();
    }
    static_cast<void>(cudaGetLastError());
  }
  collector(collector const&) = delete;
  collector& operator=(collector const&) = delete;

  /// Launches a kernel; `ended(begin_ns, end_ns)` is called when it is known to have ended, by a later launch or
  /// fetch(). Any thread. A launch that finds no memory for results runs without the tool and counts as lost.
  /// @throw vendor_error for a launch that the GPU refused
  template <class Kernel, class... Arguments>
  void launch(launch_request const& request, options_type const& options,
              std::function<void(std::uint64_t, std::uint64_t)> const& ended, Kernel const& kernel,
              Arguments const&... arguments) {
    std::unique_lock lock(mutex_);
    std::vector<std::function<void()>> done = poll();
    options_ = options;
    context_state& context = current();
    std::exception_ptr failure;
    try {
      launch_at(lock, place(*request.into, context, request.per, request.part), context, request, ended, done, kernel,
                arguments...);
    } catch (...) {
      failure = std::current_exception();
    }
    if (lock.owns_lock()) lock.unlock();
    for (auto const& call : done) call();
    if (failure) std::rethrow_exception(failure);
  }

  /// Brings to the host what was collected: waits for all launches so far. @param problems what could not be read
  void fetch(std::vector<store*> const& stores, std::set<std::string>& problems) {
    std::unique_lock lock(mutex_);
    if (contexts_.empty()) return;
    auto kept = std::make_optional<detail::device_kept>();
    for (auto& context : contexts_) {
      static_cast<void>(cudaSetDevice(context.device));
      cudaError_t const error = cudaDeviceSynchronize();
      if (error != cudaSuccess) {
        context.is_lost = true;
        std::string const what = "a kernel went wrong, and what the GPU had collected is lost with it";
        problems.insert(simt::explain(error, has_several() ? fmt::format("GPU {}: {}", context.device, what) : what));
        static_cast<void>(cudaGetLastError());
      } else if (simt::current_context() != context.id) {
        context.is_lost = true;
        problems.insert(fmt::format("{} was reset: what was collected before is lost",
                                    has_several() ? fmt::format("GPU {}", context.device) : "the GPU"));
      }
    }
    std::vector<std::function<void()>> done;
    for (auto& context : contexts_) {
      static_cast<void>(cudaSetDevice(context.device));
      for (auto const& call : poll()) done.push_back(call);
    }
    tell(done, 0);
    for (store* const one : stores) read(*one, problems);
    kept.reset();
    lock.unlock();
    for (auto const& call : done) call();
  }

  /// The program has allocated memory, or is about to release it: for tools with shadow bits. Any thread. What kernels
  /// have touched of memory that goes is read, which waits for them, as its release does.
  void memory_changed(allocation const& what) {
    if constexpr (detail::any_shadow_v<tools>) {
      std::lock_guard const lock(mutex_);
      if (what.size_bytes == 0) return;
      auto const added = allocations_.add(what.address, what.size_bytes, what.device, what.time_ns);
      for (auto const& ended : added.ended) forget(ended);
      for (context_state& context : contexts_) {
        if (context.is_own(added.record)) context.shadow->allocated(added.record);
      }
    }
  }
  void memory_changed(deallocation const& what) {
    if constexpr (detail::any_shadow_v<tools>) {
      std::lock_guard const lock(mutex_);
      if (auto const ended = allocations_.remove(what.address)) forget(*ended);
    }
  }

  void merge_into(program_states& into) const { detail::merge_states(into, program_); }

  void add_notes(std::vector<store const*> const& stores, std::set<std::string>& notes) const {
    for (context_state const& context : contexts_) {
      if (context.shadow) context.shadow->add_notes(notes);
    }
    std::uint64_t count = 0;
    for (store const* const one : stores) count += one->launches_without_memory_;
    if (count > 0) {
      notes.insert(fmt::format("{} launches were not analysed: there was no GPU memory for results ({} MiB at most)",
                               count, memory_limit_bytes >> 20));
    }
    if (!runs_->time_problem().empty()) {
      notes.insert(fmt::format("times of launches come from events: {}", runs_->time_problem()));
    }
    if (runs_->activity() != nullptr) {
      notes.insert(fmt::format("times of launches: {} from CUPTI, on the host's clock within {} ns; {} from events",
                               told_by_cupti_, runs_->activity()->error_ns(), told_by_events_));
    }
  }

 private:
  struct context_state {
    std::uint64_t id = 0;
    int device = 0;
    std::uint32_t most_shards = 1;
    bool is_lost = false;
    detail::region_pool pool{memory_limit_bytes};
    detail::launch_timer timer;
    detail::device_texts texts;
    cudaStream_t stream = nullptr;
    // Does not wait for the program's streams, nor they for it.
    cudaStream_t own_stream() {
      if (stream == nullptr) static_cast<void>(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      return stream;
    }
    std::vector<placed> free;  // of launches that have been read, zeroed
    std::unique_ptr<keeper> shadow;
    bool is_own(allocation_record const& of) const {
      return shadow && !is_lost && of.device == static_cast<std::uint64_t>(device);
    }
  };
  struct running_launch {
    context_state* context;
    typename detail::launch_timer::span span;
    std::function<void(std::uint64_t, std::uint64_t)> ended;
    store* into;
    scope per;             // a launch that is kept apart is read when it has ended
    std::uint64_t number;  // of kernel_activity; 0: none
    bool is_released = false;
  };
  // It has ended; CUPTI has yet to say when.
  struct untold_launch {
    std::uint64_t number, begin_ns, end_ns;  // as events say
    std::function<void(std::uint64_t, std::uint64_t)> ended;
  };

  static typename region::view view_of(placed const& where, options_type const& options) {
    return {
        reinterpret_cast<typename region::head*>(where.memory),
        reinterpret_cast<typename region::shard*>(where.memory + region::shards_offset()),
        reinterpret_cast<typename region::request_counts*>(where.memory + region::requests_offset(where.shard_count)),
        where.shard_count - 1, detail::are_periods_served(tools{}, options) ? warp::full : lane_mask{0}};
  }

  static bool has_several() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 1;
  }

  context_state& current() {
    std::uint64_t const id = simt::current_context();
    int device = 0;
    static_cast<void>(cudaGetDevice(&device));
    for (auto& known : contexts_) {
      if (known.id == id && known.device == device) return known;
    }
    // Loaded now, since loading may wait for kernels that run.
    if constexpr (region::has_patterns) {
      cudaFuncAttributes attributes{};
      if (cudaFuncGetAttributes(&attributes, reinterpret_cast<void const*>(&detail::settle<tools>)) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
      }
    }
    context_state& made = contexts_.emplace_back();
    made.id = id;
    made.device = device;
    int processors = 1;
    static_cast<void>(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    constexpr std::uint32_t enough_shards = 128;
    while (made.most_shards < enough_shards && made.most_shards < static_cast<std::uint32_t>(processors)) {
      made.most_shards *= 2;
    }
    return made;
  }

  // @param where null: there is no memory for results
  template <class Kernel, class... Arguments>
  void launch_at(std::unique_lock<std::mutex>& lock, placed const* where, context_state& context,
                 launch_request const& request, std::function<void(std::uint64_t, std::uint64_t)> const& ended,
                 std::vector<std::function<void()>>& done, Kernel const& kernel, Arguments const&... arguments) {
    if (where == nullptr) {
      ++request.into->launches_without_memory_;
      lock.unlock();
      return runs_->run(kernel, *request.shape, request.stream, arguments...);
    }
    auto const stream = reinterpret_cast<cudaStream_t>(request.stream);
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &capture) != cudaSuccess) static_cast<void>(cudaGetLastError());
    bool const is_captured = capture != cudaStreamCaptureStatusNone;
    has_captured_ = has_captured_ || is_captured;
    typename detail::launch_timer::span const span =
        is_captured ? typename detail::launch_timer::span{} : context.timer.begin(stream);
    detail::kernel_activity::launch_watch watch(span.end != nullptr ? runs_->activity() : nullptr);
    typename region::setup given{view_of(*where, options_), options_};
    if constexpr (detail::any_shadow_v<tools>) given.shadow = {prepare_shadow(*request.into, context, is_captured)};
    detail::launch_probed<ToolOrPack>(given, kernel, *request.shape, request.stream,
                                      detail::to_parameter(arguments)...);
    detail::launch_timer::end(span, stream);
    if (span.end != nullptr) {
      running_.push_back({&context, span, ended, request.into, request.per, watch.keep()});
    } else {
      count_ended(*request.into, context);
      std::uint64_t const now = get_nanoseconds<vendor::cuda>{}();
      done.push_back([=] { ended(now, now); });
    }
  }

  // A kernel gets at most an eighth of what is left, so that many kernels find room; fewer shards cost time.
  placed const* place(store& of, context_state& context, scope per, std::uint32_t part) {
    placed const* other = nullptr;
    for (placed const& known : of.regions_) {
      if (known.context == &context && (known.part == part || per == scope::launch)) return &known;
      if (known.context == &context) other = &known;
    }
    if (per == scope::launch && !context.free.empty()) {
      of.regions_.push_back(context.free.back());
      context.free.pop_back();
      return &of.regions_.back();
    }
    std::uint32_t shard_count = context.most_shards;
    while (shard_count > 1 && region::size_bytes(shard_count) > context.pool.left_bytes() / 8) shard_count /= 2;
    // Parts of a sample are there for its error alone: they have few shards, and leave most for other kernels.
    if (other != nullptr) shard_count = std::min(shard_count, other->shard_count);
    if (other != nullptr && region::size_bytes(1) > context.pool.left_bytes() / 32) {
      of.are_parts_merged_ = true;
      return other;
    }
    void* memory = context.pool.take(region::size_bytes(shard_count));
    if (memory == nullptr && per == scope::launch) return wait_for_place(of, context);
    if (memory == nullptr && other != nullptr) of.are_parts_merged_ = true;
    if (memory == nullptr) return other;
    of.regions_.push_back({&context, static_cast<unsigned char*>(memory), shard_count, 0, part});
    return &of.regions_.back();
  }

  static detail::shadow_view shadow_of(context_state& context, typename keeper::kernel& of, bool is_captured) {
    return is_captured ? context.shadow->leave_out(of) : context.shadow->prepare(of, true);
  }
  detail::shadow_view prepare_shadow(store& of, context_state& context, bool is_captured) {
    if (!context.shadow) {
      context.shadow =
          std::make_unique<keeper>(detail::request_shadow(tools{}, options_), detail::device_memory(has_captured_));
      allocations_.for_each([&](allocation_record const& live) {
        if (context.is_own(live)) context.shadow->allocated(live);
      });
    }
    for (placed_shadow const& known : of.shadows_) {
      if (known.context == &context) return shadow_of(context, *known.kernel, is_captured);
    }
    of.shadows_.push_back({&context, context.shadow->make_kernel()});
    return shadow_of(context, *of.shadows_.back().kernel, is_captured);
  }

  void forget(allocation_record const& ended) {
    detail::device_kept const kept;
    for (context_state& context : contexts_) {
      if (!context.is_own(ended) || cudaSetDevice(context.device) != cudaSuccess) continue;
      if (simt::current_context() == context.id) context.shadow->released(ended.address);
    }
  }

  // The oldest launch that is kept apart makes room when it has ended.
  placed const* wait_for_place(store& of, context_state& context) {
    for (auto& launch : running_) {
      if (launch.context != &context || launch.per != scope::launch || launch.is_released) continue;
      if (cudaEventSynchronize(launch.span.end) != cudaSuccess) break;
      std::set<std::string> problems;
      release(launch, problems);
      if (context.free.empty()) break;
      of.regions_.push_back(context.free.back());
      context.free.pop_back();
      return &of.regions_.back();
    }
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }

  // What is to be said of launches that have ended.
  // Looks at the oldest launches alone: those of one stream end in order.
  std::vector<std::function<void()>> poll() {
    constexpr int enough_running = 4;
    std::vector<std::function<void()>> done;
    int running = 0;
    std::uint64_t const current = simt::current_context();
    for (auto launch = running_.begin(); launch != running_.end() && running < enough_running;) {
      if (launch->context->id != current && !launch->context->is_lost) {  // its events may be gone with its context
        ++launch;
        continue;
      }
      auto const state =
          launch->context->is_lost ? detail::launch_timer::state::failed : detail::launch_timer::ask(launch->span);
      if (state == detail::launch_timer::state::running) {
        ++launch;
        ++running;
        continue;
      }
      if (state == detail::launch_timer::state::ended) {
        std::uint64_t begin_ns = 0, end_ns = 0;
        launch->context->timer.read(launch->span, begin_ns, end_ns);
        untold_.push_back({launch->number, begin_ns, end_ns, launch->ended});
        if (!launch->is_released) count_ended(*launch->into, *launch->context);
        std::set<std::string> problems;
        release(*launch, problems);
      }
      if (state == detail::launch_timer::state::failed && launch->number != 0) {
        runs_->activity()->forget(launch->number);
      }
      launch = running_.erase(launch);
    }
    constexpr std::size_t most_untold = 4096;
    tell(done, most_untold);
    return done;
  }

  // Moves to done what can be told of the oldest launches, and what must be, so that no more than so many remain.
  void tell(std::vector<std::function<void()>>& done, std::size_t most) {
    if (untold_.size() > most && runs_->activity() != nullptr) runs_->activity()->flush();
    for (; !untold_.empty(); untold_.pop_front()) {
      untold_launch& oldest = untold_.front();
      std::optional<detail::kernel_activity::times> told;
      if (oldest.number != 0) {
        told = runs_->activity()->take(oldest.number);
        if (!told && untold_.size() <= most) return;
        if (!told) runs_->activity()->forget(oldest.number);
      }
      ++(told ? told_by_cupti_ : told_by_events_);
      if (told) oldest.begin_ns = told->begin_ns, oldest.end_ns = told->end_ns;
      done.push_back([ended = std::move(oldest.ended), begin_ns = oldest.begin_ns, end_ns = oldest.end_ns] {
        ended(begin_ns, end_ns);
      });
    }
  }

  // Reads what a launch that is kept apart collected, and gives its memory back, zeroed.
  void release(running_launch& launch, std::set<std::string>& problems) {
    store* const of = launch.into;
    if (launch.per != scope::launch || std::exchange(launch.is_released, true) || of->regions_.empty()) return;
    read(*of, problems);
    for (placed_shadow const& each : of->shadows_) {
      if (!each.context->is_lost) each.context->shadow->retire(*each.kernel);
    }
    placed where = of->regions_.back();
    where.unread_launches = 0;
    of->regions_.clear();
    cudaStream_t const stream = where.context->own_stream();
    if (cudaMemsetAsync(where.memory, 0, region::size_bytes(where.shard_count), stream) == cudaSuccess &&
        cudaStreamSynchronize(stream) == cudaSuccess) {
      where.context->free.push_back(where);
    } else {
      static_cast<void>(cudaGetLastError());
    }
  }

  static void count_ended(store& in, context_state const& context) {
    for (placed& each : in.regions_) {
      if (each.context != &context) continue;
      ++each.unread_launches;
      return;
    }
  }

  // Works out what kernels only counted. Not with <<<>>>, whose error is the program's own if one is pending.
  cudaError_t settle(placed const& where, cudaStream_t stream) const {
    if constexpr (region::has_patterns) {
      typename region::setup given{view_of(where, options_), options_};
      void* parameters[] = {&given};
      return cudaLaunchKernel(reinterpret_cast<void const*>(&detail::settle<tools>), ::dim3(detail::row_count + 1),
                              ::dim3(32), parameters, 0, stream);
    } else {
      return cudaSuccess;
    }
  }

  // Moves a store's results from the GPU to the host: the GPU's are zeros afterwards, so that nothing counts twice.
  void read(store& of, std::set<std::string>& problems) {
    for (placed_shadow const& each : of.shadows_) {
      if (each.context->is_lost) continue;
      if (simt::current_context() != each.context->id) static_cast<void>(cudaSetDevice(each.context->device));
      if (!each.context->shadow->read(*each.kernel)) problems.insert("shadow memory could not be read from the GPU");
    }
    if (!of.regions_.empty()) of.dropped_ = 0;  // each region has its own since its begin
    for (placed& where : of.regions_) {
      if (where.context->is_lost) {
        of.lost_ += std::exchange(where.unread_launches, 0);
        continue;
      }
      // A kernel is launched on its stream's own device.
      if (simt::current_context() != where.context->id) static_cast<void>(cudaSetDevice(where.context->device));
      std::size_t const size = region::requests_offset(where.shard_count);
      auto const image = std::make_unique<unsigned char[]>(size);
      cudaStream_t const stream = where.context->own_stream();
      if (settle(where, stream) != cudaSuccess ||
          cudaMemcpyAsync(image.get(), where.memory, size, cudaMemcpyDeviceToHost, stream) != cudaSuccess ||
          cudaMemsetAsync(where.memory + region::shards_offset(), 0, size - region::shards_offset(), stream) !=
              cudaSuccess ||
          cudaStreamSynchronize(stream) != cudaSuccess) {
        problems.insert("results could not be read from the GPU");
        static_cast<void>(cudaGetLastError());
        continue;
      }
      where.unread_launches = 0;
      add(of, *where.context, image.get(), where.shard_count, where.part);
    }
  }

  void add(store& of, context_state& context, unsigned char const* image, std::uint32_t shard_count,
           std::uint32_t part) {
    auto const& head = *reinterpret_cast<typename region::head const*>(image);
    auto const* const shards = reinterpret_cast<typename region::shard const*>(image + region::shards_offset());
    of.dropped_ += head.dropped;
    for (std::uint32_t i = 0; i < detail::row_count; ++i) {
      auto const& entry = head.entries[i];
      if (entry.packed == 0 || entry.file == 0) continue;
      site_info where = describe(site_key{"", entry.packed}, runs_->warp_width());
      where.file = context.texts.at(entry.file);
      site_total& total = of.sites_[where];
      for (std::uint32_t shard = 0; shard < shard_count; ++shard) {
        total.executions += shards[shard].executions[i];
        of.part_events_[part] += static_cast<double>(shards[shard].executions[i]);
        detail::merge_tools(total.states, shards[shard].rows[i].states);
      }
      detail::merge_tools(total.states, head.rare[i].states);
    }
    for (std::uint32_t shard = 0; shard < shard_count; ++shard) {
      detail::merge_tools(of.kernel_, shards[shard].kernel);
      detail::merge_tools(of.launch_, shards[shard].launch);
      detail::merge_tools(program_, shards[shard].program);
    }
  }

  executor* runs_;
  std::mutex mutex_;
  bool has_captured_ = false;  // launches, of a stream that was being captured
  std::list<context_state> contexts_;
  std::list<running_launch> running_;
  std::deque<untold_launch> untold_;
  std::uint64_t told_by_cupti_ = 0, told_by_events_ = 0;
  options_type options_{};  // of the run
  program_states program_{};
  allocation_map allocations_;  // of tools with shadow bits
};

}  // namespace pasta
#endif
