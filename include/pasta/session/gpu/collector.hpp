// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_GPU_COLLECTOR_HPP
#define PASTA_SESSION_GPU_COLLECTOR_HPP

#include <array>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <pasta/session/block_tally.hpp>
#include <pasta/session/gpu/device_memory.hpp>
#include <pasta/session/gpu/device_texts.hpp>
#include <pasta/session/gpu/launch_timer.hpp>
#include <pasta/session/shadow_keeper.hpp>
#include <set>

#include PASTA_SESSION_OF_VENDOR(executor)

namespace pasta {

/// Runs kernels under the tools of a run and keeps what they collect: in the GPU's memory, merged from all launches,
/// until the report is made. No launch is waited for, but with `--per launch` when that memory is full. The same
/// members for every vendor; of the vendor it needs simt::runtime and the executor's kernels.
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
  using runtime = simt::runtime;

  /// Most memory of a GPU that results take [bytes].
  static constexpr std::size_t memory_limit_bytes = std::size_t{16} << 20;

 private:
  struct device_state;
  // A kernel's memory on one device.
  struct placed {
    device_state* device;
    unsigned char* memory;  // of the GPU
    std::uint32_t shard_count;
    std::uint32_t part = 0;  // of a sample
  };
  // A kernel's shadow memory on one device.
  using keeper = detail::shadow_keeper<detail::device_memory>;
  struct placed_shadow {
    device_state* device;
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

   private:
    friend collector;
    std::vector<placed> regions_;         // one for each device
    std::vector<placed_shadow> shadows_;  // likewise
    std::map<site_info, site_total> sites_;
    kernel_states kernel_{};
    launch_states launch_{};
    std::uint64_t dropped_ = 0, launches_without_memory_ = 0;
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
    for (device_state& device : devices_) {
      if (device.is_lost || !runtime::use(device.number)) continue;
      static_cast<void>(runtime::wait_for_device({}));
      for (void* const memory : device.memory) runtime::release(memory);
      if (device.shadow) device.shadow->release();
    }
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
    auto const stream = reinterpret_cast<runtime::stream>(request.stream);
    std::unique_lock lock(mutex_);
    std::vector<std::function<void()>> done = poll();
    device_state& device = current();
    placed const* const where = place(*request.into, device, request.per, request.part);
    if (where == nullptr) {
      ++request.into->launches_without_memory_;
      lock.unlock();
      runs_->run(kernel, *request.shape, request.stream, arguments...);
    } else {
      bool const is_captured = runtime::is_captured(stream);
      has_captured_ = has_captured_ || is_captured;
      detail::launch_shadow<detail::any_shadow_v<tools>> shadow;
      if constexpr (detail::any_shadow_v<tools>) shadow = {prepare_shadow(*request.into, device, options, is_captured)};
      typename detail::launch_timer::span const span =
          is_captured ? typename detail::launch_timer::span{} : device.timer.begin(stream);
      detail::launch_on_gpu(
          &detail::run_probed<ToolOrPack, Kernel, detail::parameter_t<Arguments>...>, detail::kernel_name(kernel),
          *request.shape, request.stream, reinterpret_cast<typename region::head*>(where->memory),
          reinterpret_cast<typename region::shard*>(where->memory + region::shards_offset()), where->shard_count - 1,
          options, shadow, detail::kernel_source<Kernel>::of(kernel), detail::to_parameter(arguments)...);
      detail::launch_timer::end(span, stream);
      if (span.end != nullptr) {
        running_.push_back({&device, span, ended, request.per == scope::launch ? request.into : nullptr});
      } else {
        std::uint64_t const now = get_nanoseconds<vendor::current>{}();
        done.push_back([=] { ended(now, now); });
      }
      lock.unlock();
    }
    for (auto const& call : done) call();
  }

  /// Brings to the host what was collected: waits for all launches so far. @param problems what could not be read
  void fetch(std::vector<store*> const& stores, std::set<std::string>& problems) {
    std::unique_lock lock(mutex_);
    if (devices_.empty()) return;
    int const before = runtime::device();
    std::vector<std::function<void()>> done;
    for (device_state& device : devices_) {
      runtime::use(device.number);
      std::string const problem =
          runtime::wait_for_device("a kernel went wrong, and what the GPU had collected is lost with it");
      if (!problem.empty()) {
        device.is_lost = true;
        problems.insert(problem);
      }
    }
    for (auto const& call : poll()) done.push_back(call);
    for (store* const one : stores) read(*one, problems);
    runtime::use(before);
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
      for (device_state& device : devices_) {
        if (device.is_own(added.record)) device.shadow->allocated(added.record);
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
    for (device_state const& device : devices_) {
      if (device.shadow) device.shadow->add_notes(notes);
    }
    std::uint64_t count = 0;
    for (store const* const one : stores) count += one->launches_without_memory_;
    if (count > 0) {
      notes.insert(fmt::format("{} launches were not analysed: there was no GPU memory for results ({} MiB at most)",
                               count, memory_limit_bytes >> 20));
    }
  }

 private:
  struct device_state {
    int number = 0;
    std::uint32_t most_shards = 1;
    bool is_lost = false;
    std::size_t left_bytes = memory_limit_bytes;
    runtime::stream stream = nullptr;  // waits for none of the program's, nor they for it
    std::vector<void*> memory;
    std::vector<placed> free;  // of launches that have been read, zeroed
    detail::launch_timer timer;
    detail::device_texts texts;
    std::unique_ptr<keeper> shadow;
    bool is_own(allocation_record const& of) const {
      return shadow && !is_lost && of.device == static_cast<std::uint64_t>(number);
    }
  };
  struct running_launch {
    device_state* device;
    typename detail::launch_timer::span span;
    std::function<void(std::uint64_t, std::uint64_t)> ended;
    store* apart;  // of a launch that is kept apart: read when it has ended
  };

  device_state& current() {
    int const number = runtime::device();
    for (device_state& known : devices_) {
      if (known.number == number) return known;
    }
    device_state& made = devices_.emplace_back();
    made.number = number;
    made.stream = runtime::make_stream();
    constexpr std::uint32_t enough_shards = 64;
    std::uint32_t const processors = runtime::count_processors(number);
    while (made.most_shards < enough_shards && made.most_shards < processors) made.most_shards *= 2;
    return made;
  }

  // A kernel gets at most an eighth of what is left, so that many kernels find room; fewer shards cost time.
  placed const* place(store& of, device_state& device, scope per, std::uint32_t part) {
    placed const* other = nullptr;
    for (placed const& known : of.regions_) {
      if (known.device == &device && (known.part == part || per == scope::launch)) return &known;
      if (known.device == &device) other = &known;
    }
    if (per == scope::launch && device.free.empty()) {
      if (void* const memory = take(device, region::size_bytes(1))) {
        device.free.push_back({&device, static_cast<unsigned char*>(memory), 1});
      } else {
        wait_for_place(device);
      }
    }
    if (per == scope::launch) {
      if (device.free.empty()) return nullptr;
      of.regions_.push_back(device.free.back());
      device.free.pop_back();
      return &of.regions_.back();
    }
    std::uint32_t shard_count = device.most_shards;
    while (shard_count > 1 && region::size_bytes(shard_count) > device.left_bytes / 8) shard_count /= 2;
    // Parts of a sample are there for its error alone: they have few shards, and leave most for other kernels.
    if (other != nullptr) shard_count = std::min<std::uint32_t>(shard_count, other->shard_count);
    if (other != nullptr && region::size_bytes(1) > device.left_bytes / 32) {
      of.are_parts_merged_ = true;
      return other;
    }
    void* const memory = take(device, region::size_bytes(shard_count));
    if (memory == nullptr && other != nullptr) of.are_parts_merged_ = true;
    if (memory == nullptr) return other;
    of.regions_.push_back({&device, static_cast<unsigned char*>(memory), shard_count, part});
    return &of.regions_.back();
  }

  static detail::shadow_view shadow_of(device_state& device, typename keeper::kernel& of, bool is_captured) {
    return is_captured ? device.shadow->leave_out(of) : device.shadow->prepare(of, true);
  }
  detail::shadow_view prepare_shadow(store& of, device_state& device, options_type const& options, bool is_captured) {
    if (!device.shadow) {
      device.shadow =
          std::make_unique<keeper>(detail::request_shadow(tools{}, options), detail::device_memory(has_captured_));
      allocations_.for_each([&](allocation_record const& live) {
        if (device.is_own(live)) device.shadow->allocated(live);
      });
    }
    for (placed_shadow const& known : of.shadows_) {
      if (known.device == &device) return shadow_of(device, *known.kernel, is_captured);
    }
    of.shadows_.push_back({&device, device.shadow->make_kernel()});
    return shadow_of(device, *of.shadows_.back().kernel, is_captured);
  }

  void forget(allocation_record const& ended) {
    int const before = runtime::device();
    for (device_state& device : devices_) {
      if (device.is_own(ended) && runtime::use(device.number)) device.shadow->released(ended.address);
    }
    runtime::use(before);
  }

  // Zeroed memory, or null if the limit is reached or the GPU has no more.
  static void* take(device_state& device, std::size_t bytes) {
    if (bytes > device.left_bytes) return nullptr;
    void* const memory = runtime::allocate(bytes);
    if (memory == nullptr) return nullptr;
    if (!runtime::clear(memory, bytes, device.stream) || !runtime::wait_for(device.stream)) {
      runtime::release(memory);
      return nullptr;
    }
    device.left_bytes -= bytes;
    device.memory.push_back(memory);
    return memory;
  }

  // The oldest launch that is kept apart makes room when it has ended.
  void wait_for_place(device_state& device) {
    for (running_launch& launch : running_) {
      if (launch.device != &device || launch.apart == nullptr) continue;
      std::set<std::string> problems;
      if (runtime::wait_for(launch.span.end)) release(launch, problems);
      return;
    }
  }

  // What is to be said of launches that have ended. Looks at the oldest launches alone: those of one stream end in
  // order.
  std::vector<std::function<void()>> poll() {
    constexpr int enough_running = 4;
    std::vector<std::function<void()>> done;
    int running = 0;
    for (auto launch = running_.begin(); launch != running_.end() && running < enough_running;) {
      auto const progress = launch->device->is_lost ? runtime::progress::failed : runtime::ask(launch->span.end);
      if (progress == runtime::progress::running) {
        ++launch;
        ++running;
        continue;
      }
      if (progress == runtime::progress::ended) {
        std::uint64_t begin_ns = 0, end_ns = 0;
        launch->device->timer.read(launch->span, begin_ns, end_ns);
        done.push_back([ended = launch->ended, begin_ns, end_ns] { ended(begin_ns, end_ns); });
        std::set<std::string> problems;
        release(*launch, problems);
      }
      launch = running_.erase(launch);
    }
    return done;
  }

  // Reads what a launch that is kept apart collected, and gives its memory back, zeroed.
  void release(running_launch& launch, std::set<std::string>& problems) {
    store* const of = std::exchange(launch.apart, nullptr);
    if (of == nullptr || of->regions_.empty()) return;
    placed const where = of->regions_.back();
    read(*of, problems);
    of->regions_.clear();
    for (placed_shadow const& each : of->shadows_) {
      if (!each.device->is_lost) each.device->shadow->retire(*each.kernel);
    }
    if (runtime::clear(where.memory, region::size_bytes(where.shard_count), where.device->stream) &&
        runtime::wait_for(where.device->stream)) {
      where.device->free.push_back(where);
    }
  }

  // Moves a store's results from the GPU to the host: the GPU's are zeros afterwards, so that nothing counts twice. The
  // head stays, but for what counts as dropped: sites keep their rows, and rare state merges with itself.
  void read(store& of, std::set<std::string>& problems) {
    for (placed_shadow const& each : of.shadows_) {
      if (each.device->is_lost) continue;
      runtime::use(each.device->number);
      if (!each.device->shadow->read(*each.kernel)) problems.insert("shadow memory could not be read from the GPU");
    }
    if (!of.regions_.empty()) of.dropped_ = 0;  // each region has its own since its begin
    for (placed const& where : of.regions_) {
      device_state& device = *where.device;
      if (device.is_lost) continue;
      runtime::use(device.number);
      std::size_t const size = region::size_bytes(where.shard_count);
      auto const image = std::make_unique<unsigned char[]>(size);
      if (!runtime::copy(image.get(), where.memory, size, device.stream) ||
          !runtime::clear(where.memory + region::shards_offset(), size - region::shards_offset(), device.stream) ||
          !runtime::wait_for(device.stream)) {
        problems.insert("results could not be read from the GPU");
        continue;
      }
      add(of, device, image.get(), where.shard_count, where.part);
    }
  }

  void add(store& of, device_state& device, unsigned char const* image, std::uint32_t shard_count, std::uint32_t part) {
    auto const& head = *reinterpret_cast<typename region::head const*>(image);
    auto const* const shards = reinterpret_cast<typename region::shard const*>(image + region::shards_offset());
    of.dropped_ += head.dropped;
    for (std::uint32_t i = 0; i < detail::row_count; ++i) {
      auto const& entry = head.entries[i];
      if (entry.packed == 0 || entry.file == 0) continue;
      site_info where = describe(site_key{"", entry.packed}, runs_->warp_width());
      where.file = device.texts.at(entry.file, device.stream);
      site_total& total = of.sites_[where];
      for (std::uint32_t shard = 0; shard < shard_count; ++shard) {
        total.executions += shards[shard].executions[i];
        of.part_events_[part] += static_cast<double>(shards[shard].executions[i]);
        merge_tools(total.states, shards[shard].rows[i].states);
      }
      merge_tools(total.states, head.rare[i].states);
    }
    for (std::uint32_t shard = 0; shard < shard_count; ++shard) {
      merge_tools(of.kernel_, shards[shard].kernel);
      merge_tools(of.launch_, shards[shard].launch);
      merge_tools(program_, shards[shard].program);
    }
  }

  // The fields that the parts have, tool by tool.
  template <class... States, class... Parts>
  static void merge_tools(detail::state_tuple<States...>& into, detail::state_tuple<Parts...> const& from) {
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
      (merge_parts(detail::get_state<Index>(into), detail::get_state<Index>(from)), ...);
    }
    (std::index_sequence_for<States...>{});
  }
  template <class State, class Parts>
  static void merge_parts(State& into, Parts const& from) {
    [&]<std::size_t... Part>(std::index_sequence<Part...>) { (merge_part<Part>(into, from), ...); }
    (std::make_index_sequence<detail::part_count_v<State>>{});
  }
  template <std::size_t Part, class State, class Parts>
  static void merge_part([[maybe_unused]] State& into, [[maybe_unused]] Parts const& from) {
    if constexpr (Parts::template has_v<Part>) detail::merge_one(detail::part<Part>(into), from.template get<Part>());
  }

  executor* runs_;
  std::mutex mutex_;
  bool has_captured_ = false;  // launches, of a stream that was being captured
  std::list<device_state> devices_;
  std::list<running_launch> running_;
  program_states program_{};
  allocation_map allocations_;  // of tools with shadow bits
};

}  // namespace pasta
#endif
