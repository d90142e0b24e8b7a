// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Attaches memory to instrumented modules, counts launches, and reads what was collected.
///
/// Locks: attach_mutex_ is held while the runtime is called; the others are held for moments and never meanwhile.
#ifndef PASTA_TOOLS_HIP_RUNTIME_COLLECTOR_HPP
#define PASTA_TOOLS_HIP_RUNTIME_COLLECTOR_HPP

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <pasta/analysis/allocation_map.hpp>
#include <pasta/session/ptx/tool_exchange.hpp>
#include <pasta/session/settings.hpp>
#include <set>
#include <shared_mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "records.hpp"
#include "runtime.hpp"

namespace pasta::hip_runtime {

class collector {
 public:
  /// @param begin called once before the first module is attached; returns why nothing is to be attached, or ""
  collector(runtime const& with, settings const& wanted, std::function<std::string()> begin)
      : runtime_(with),
        wanted_(wanted),
        is_choosy_(wanted.sampling_rate < 1 || !wanted.selection.is_everything()),
        begin_(std::move(begin)) {}

  // ---- Launches. Any thread.

  /// What is known of a launched kernel; attaches its module at its first launch on a device.
  /// @param function as the program gives it to the runtime
  kernel_record& find(void const* function, hipStream_t stream, launch_shape const& shape);
  /// The runtime took a launch of a kernel whose launches are neither kept apart nor left out.
  void see_launches(kernel_record& record, launch_shape const& shape, hipStream_t stream);

  // ---- Launches that are kept apart by range, or may be left out. The thread that launches. switching.cpp

  struct launched {
    kernel_record* kernel;
    launch_shape shape;
  };
  /// Whether launches of the kernel are to go through launches_begin(); else see_launches() suffices.
  bool is_any_apart(kernel_record const& kernel) const;
  /// From launches_begin() to launches_end(). No other thread switches meanwhile.
  struct launches_under_way {
    struct one {
      launched what;
      launch_group* group = nullptr;  ///< null: those of no range
      attachment* at = nullptr;       ///< in which it runs; null: nothing counts in it
      std::uint64_t number = 0;
      bool is_left_out = false;
      sample_count* sampled = nullptr;  ///< it is of a sample
      std::uint32_t part = 0;           ///< in which it is to be
      std::uint32_t counted_in = 0;     ///< in which it is
    };
    std::unique_lock<std::mutex> lock;
    std::vector<one> all;
    hipStream_t stream = nullptr;
  };
  /// Before a call of the runtime that launches: has the stream tell the code's states where kernels are to add to.
  /// @param what a kernel, or all of a graph
  launches_under_way launches_begin(std::vector<launched> const& what, hipStream_t stream);
  enum class outcome : std::uint8_t { launched, refused };
  /// Behind the call.
  void launches_end(launches_under_way& what, outcome how);
  /// From here on all launches of the process are left out, or those that were chosen are not. Also before there is a
  /// collector.
  static void stop() { is_stopped_ = true; }
  static void go_on() { is_stopped_ = false; }
  /// Whether work in the stream is not run but put into a graph.
  bool is_capturing(hipStream_t stream) const;
  /// Also before there is a collector.
  static void capture_begins() { has_captured_.store(true, std::memory_order_relaxed); }

  // ---- Shadow bits. Any thread. shadow.cpp

  /// What the tools' need of them is. While nothing is attached yet, and no other thread attaches.
  void want_shadow(ptx::shadow_need const& need);
  /// The program has memory of the stream's device; null: of the calling thread's current one.
  void allocated(void const* address, std::size_t bytes, hipStream_t stream);
  enum class release : std::uint8_t {
    waits,     ///< for all kernels, as hipFree does: what they touched is read
    in_stream  ///< in the order of a stream: nobody waits
  };
  /// The program is about to release memory.
  void released(void const* address, release how);
  /// Before a launch that is not kept apart: tells the kernel's code where its bits are, if that has changed.
  void prepare_shadow(kernel_record& kernel);
  /// Between launches_begin() and the launch.
  void prepare_shadow(launches_under_way const& what);

  // ---- Graphs. Any thread.

  void graph_made(hipGraphExec_t exec, hipGraph_t graph);
  void graph_node_changed(hipGraphExec_t exec, hipGraphNode_t node, hipKernelNodeParams const& parameters);
  void graph_destroyed(hipGraphExec_t exec);
  /// One for each of its kernels' nodes; attaches their modules. @return empty for a graph that is not known
  std::vector<launched> launches_of(hipGraphExec_t exec, hipStream_t stream);

  // ---- Modules and devices.

  /// It is about to be unloaded: what it collected is brought to the host, and its memory given back.
  void module_gone(module_record& module);
  /// The calling thread's current device is about to be reset.
  void device_gone();

  // ---- Results.

  /// The program waits for the calling thread's current device: a moment to bring to the host what is there, in case
  /// that the GPU fails later.
  class device_wait {
   public:
    explicit device_wait(collector& of);
    /// The wait was successful.
    void ended();

   private:
    std::vector<attachment*> unfollowed_;  // with launches that were not followed, which end with the wait
    collector* of_;
    device_record* device_;
    std::vector<std::pair<collecting::launch_counts*, std::uint64_t>> launched_;
  };

  enum class wait : std::uint8_t { for_kernels, for_nothing };
  /// Brings what devices collected to the host. Where kernels were waited for, their launches count as delivered.
  void harvest(wait how);

  /// What was brought to the host so far, for a report: f(records, devices, notes). Waits at most two seconds for
  /// others, since a crash may have come while one held the lock.
  template <class Function>
  void look(Function&& f) {
    std::unique_lock lock(results_mutex_, std::defer_lock);
    static_cast<void>(lock.try_lock_for(std::chrono::seconds(2)));
    std::set<std::string> notes = notes_;
    add_launch_notes(notes);
    for (device_record const& each : devices_) {
      for (auto const& old : each.old_shadows) old->add_notes(notes);
      if (each.shadow != nullptr) each.shadow->add_notes(notes);
    }
    f(records_, devices_, std::move(notes));
  }
  void add_note(std::string const& note) {
    std::unique_lock lock(results_mutex_, std::defer_lock);
    if (lock.try_lock_for(std::chrono::seconds(2))) notes_.insert(note);  // not for ever: a crash may have come
  }

 private:
  struct handle_key {
    void const* function;
    int device;
    bool operator==(handle_key const&) const = default;
  };
  struct handle_hash {
    std::size_t operator()(handle_key const& key) const {
      return (reinterpret_cast<std::uintptr_t>(key.function) >> 3) * 31 + static_cast<std::size_t>(key.device);
    }
  };
  using launch_numbers = std::vector<std::pair<collecting::launch_counts*, std::uint64_t>>;

  int device_of(hipStream_t stream) const;
  void forget_handles();
  kernel_record& resolve(void const* function, int device, launch_shape const& shape);
  device_record& device_record_of(int number);
  device_record* find_device(int number);
  kernel_record& record_of(device_record& device, attachment* where, std::string const& name);

  struct graph_kernel {
    hipGraphNode_t node;
    void const* function;
    launch_shape shape;
  };
  void collect_nodes(hipGraph_t graph, std::vector<graph_kernel>& into, int depth) const;
  static launch_shape shape_of(hipKernelNodeParams const& node);

  // attach.cpp
  attachment* attach(device_record& device, module_record& module, instrumented_code::part& part, std::string& why_not);
  void* find_state(module_record& module, instrumented_code::part const& part, std::string& why_not) const;
  std::string take_memory(device_record& device, attachment& made);
  std::string fill(device_record& device, attachment& made);
  std::string take_launch_memory(device_record& device, attachment& made);
  std::string copy(device_record& device, void* to, void const* from, std::size_t bytes, hipMemcpyKind kind);

  // switching.cpp
  bool is_offered_now(std::uint64_t number) const;
  bool may_switch(attachment& in, hipStream_t stream) const;
  launch_group& group_of(kernel_record& kernel, launch_key const& key);
  sample_count& sampled_of(kernel_record& kernel, std::string const& range);
  other_set* set_for(attachment& in, launch_key const& key);
  bool make_images(attachment& in) const;
  bool order(attachment& in, other_set* set, bool is_off, hipStream_t stream);
  void place(launches_under_way::one& launch, launch_key const& key, hipStream_t stream);
  void mark(attachment& in, hipStream_t stream);
  std::vector<attachment*> find_unfollowed(device_record& device);
  void end_unfollowed(std::vector<attachment*> const& in);
  void add_launch_notes(std::set<std::string>& notes) const;
  static attachment* find_attachment(device_record& device, module_record const& module,
                                     instrumented_code::part const& part);

  // shadow.cpp
  std::uint64_t place_shadows(kernel_record& kernel, other_set const* set);
  void place_shadow(device_record& device, attachment& where, std::size_t function, other_set const* set);
  bool write_shadow_word(device_record& device, std::byte* word, std::uint64_t view);
  void detach_shadow(device_record& device);
  void read_shadow(device_record& device, wait how);
  void retire_shadow(device_record& device, attachment& each);
  void shadow_gone(device_record& device);
  void blank_shadow_words(attachment const& of, std::byte* set) const;

  // harvest.cpp
  std::string read(device_record& device, attachment& from);
  std::string read_launches(device_record& device, attachment& from);
  std::string read_all(device_record& device);
  launch_numbers launched_on(device_record const& device);
  void conclude(device_record& device, std::string const& problem, launch_numbers const& delivered);
  void harvest_one(device_record& device, wait how);
  static bool is_due(device_record const& device);
  void let_go(device_record& device, attachment& each);

  runtime const& runtime_;
  settings const& wanted_;
  bool const is_choosy_;
  std::function<std::string()> begin_;

  std::mutex switch_mutex_;                 // before the others; held while the runtime launches
  block_tally all_blocks_{block_sample{}};  // switch_mutex_
  std::atomic<std::uint64_t> merged_launches_{0}, forced_launches_{0}, missed_launches_{0};
  inline static std::atomic<bool> is_stopped_{false};

  std::mutex attach_mutex_;
  bool is_any_excluded_ = false;             // attach_mutex_
  std::optional<std::string> begin_result_;  // attach_mutex_

  ptx::shadow_need need_;       // attach_mutex_
  allocation_map allocations_;  // attach_mutex_
  std::atomic<bool> is_following_memory_{true}, has_shadow_{false};

  std::timed_mutex results_mutex_;
  std::deque<device_record> devices_;
  std::deque<kernel_record> records_;
  std::map<std::tuple<device_record*, attachment*, std::string>, kernel_record*> known_records_;
  std::set<std::string> notes_;

  std::shared_mutex handles_mutex_;
  std::unordered_map<handle_key, kernel_record*, handle_hash> handles_;
  std::atomic<std::uint64_t> generation_{1};  // of the handles
  inline static std::atomic<bool> has_captured_{false};
  std::atomic<int> device_count_{0};
  std::atomic<std::uint64_t> next_launch_{0};

  std::mutex graphs_mutex_;
  std::unordered_map<hipGraphExec_t, std::vector<graph_kernel>> graphs_;
};

}  // namespace pasta::hip_runtime
#endif
