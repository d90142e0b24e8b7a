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
      : runtime_(with), wanted_(wanted), begin_(std::move(begin)) {}

  // ---- Launches. Any thread.

  /// What is known of a launched kernel; attaches its module at its first launch on a device.
  /// @param function as the program gives it to the runtime
  kernel_record& find(void const* function, hipStream_t stream, launch_shape const& shape);
  /// The runtime took a launch, or the kernels of a graph.
  void see_launches(kernel_record& record, launch_shape const& shape, std::uint64_t count);
  /// Whether work in the stream is not run but put into a graph.
  bool is_capturing(hipStream_t stream) const;
  /// Also before there is a collector.
  static void capture_begins() { has_captured_.store(true, std::memory_order_relaxed); }

  // ---- Graphs. Any thread.

  struct launched {
    kernel_record* kernel;
    launch_shape shape;
  };
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
    collector* of_;
    device_record* device_;
    std::vector<std::pair<kernel_record*, std::uint64_t>> launched_;
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
    f(records_, devices_, notes_);
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
  using launch_numbers = std::vector<std::pair<kernel_record*, std::uint64_t>>;

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
  std::function<std::string()> begin_;

  std::mutex attach_mutex_;
  std::optional<std::string> begin_result_;  // attach_mutex_

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
