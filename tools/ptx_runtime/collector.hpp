// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Attaches memory to instrumented modules, counts launches, and reads what was collected.
///
/// Locks: attach_mutex_ is held while the driver is called; the others are held for moments and never meanwhile, so
/// that what the driver calls back from within itself waits for nothing.
#ifndef PASTA_TOOLS_PTX_RUNTIME_COLLECTOR_HPP
#define PASTA_TOOLS_PTX_RUNTIME_COLLECTOR_HPP

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <pasta/instrument/ptx/module_state.hpp>
#include <pasta/session/settings.hpp>
#include <set>
#include <shared_mutex>
#include <span>
#include <tuple>
#include <unordered_map>

#include <pasta/session/ptx/tool_exchange.hpp>
#include "driver.hpp"
#include "images.hpp"
#include "records.hpp"

namespace pasta::ptx {

/// Most memory of a GPU that results take in one context [bytes].
inline constexpr std::size_t memory_limit_bytes = most_collected_bytes;

class collector {
 public:
  /// @param wanted what is to be kept apart and left out
  /// @param begin called once before the first module is attached; returns why nothing is to be attached, or ""
  collector(driver const& with, settings const& wanted, std::function<std::string()> begin)
      : driver_(with),
        wanted_(wanted),
        is_choosy_(wanted.per == scope::launch || wanted.sampling_rate < 1 || !wanted.selection.is_everything()),
        begin_(std::move(begin)) {}

  // ---- Launches. Any thread.

  /// What is known of a launched function; attaches its module at its first launch in a context.
  /// @param function as the program gave it to the driver: a CUfunction or a CUkernel
  function_record& find(CUfunction function, CUcontext context, std::uint32_t context_uid, char const* name,
                        launch_shape const& shape);
  /// Handles may mean something else from here on.
  void forget_handles();
  /// Whether work in the stream is not run but put into a graph.
  bool is_capturing(CUstream stream) const;
  void capture_begins() { has_captured_.store(true, std::memory_order_relaxed); }

  // ---- Launches that are kept apart, or may be left out. The thread that launches.

  /// Whether launches of the function are to go through launches_begin(); else see_plain() suffices.
  bool is_any_apart(function_record const& function) const;
  void see_plain(function_record& function, CUstream stream) {
    if (function.where != nullptr) see_plain_stream(*function.where, stream);
  }
  struct launched {
    function_record* function;
    std::uint64_t count;
  };
  enum class launch_unit : std::uint8_t { kernel, graph };
  /// Before a call of the driver that launches: gives the stream an order to tell the modules where to add to.
  /// @param what of one context
  /// @return the number of the first
  std::uint64_t launches_begin(std::span<launched const> what, CUstream stream, launch_unit unit);
  enum class outcome : std::uint8_t { launched, refused };
  /// Behind the call. @param shape null: known already
  void launches_end(outcome how, launch_shape const* shape, CUstream stream);
  void stream_gone(CUstream stream);
  /// From here on all launches of the process are left out, or those that were chosen are not. Also before there is a
  /// collector.
  static void stop() { is_stopped_ = true; }
  static void go_on() { is_stopped_ = false; }
  static bool is_stopped() { return is_stopped_; }

  // ---- Shadow bits. Any thread.

  /// What the tool asks for; called once, before anything is attached.
  void want_shadow(shadow_need const& need);
  /// The program has allocated memory, or releases it.
  void allocated(std::uint32_t context_uid, std::uint64_t address, std::uint64_t bytes);
  enum class release : std::uint8_t { waits, in_stream };
  void released(std::uint32_t context_uid, std::uint64_t address, release how);
  /// The same of all memory that is mapped in a range of addresses.
  void unmapped(std::uint32_t context_uid, std::uint64_t address, std::uint64_t bytes);
  /// Before a launch of the function: tells it where its bits are, if that has changed.
  void prepare_shadow(function_record& function);
  /// Whether it must be told.
  bool has_stale_shadow(function_record const& function) const;

  // ---- Graphs. Any thread.

  void graph_made(CUgraphExec exec, CUgraph graph, CUcontext context, std::uint32_t context_uid);
  void graph_node_changed(CUgraphExec exec, CUgraphNode node, CUDA_KERNEL_NODE_PARAMS const& parameters,
                          CUcontext context, std::uint32_t context_uid);
  /// Its kernels, all of one context. @return empty for a graph that is not known
  std::vector<launched> launches_of(CUgraphExec exec);
  void graph_destroyed(CUgraphExec exec);

  // ---- Modules and contexts.

  /// From within the driver too.
  void image_loaded(std::string_view image) { images_.add(collecting::read_image(image)); }
  void context_gone(CUcontext context);
  /// A module was unloaded: what it collected is brought to the host, and its memory given back.
  void module_gone(CUmodule module, std::uint32_t context_uid);

  // ---- Results.

  /// The program waits for the GPU: a moment to bring to the host what is there, in case that the GPU fails later. What
  /// was launched before a wait for a whole context has ended with it.
  enum class waited : std::uint8_t { for_context, for_stream };
  void wait_begins(std::uint32_t context_uid, waited what);
  void wait_ended(std::uint32_t context_uid);

  enum class wait : std::uint8_t { for_kernels, for_nothing };
  /// Brings what contexts collected to the host. Where kernels were waited for, their launches count as delivered.
  /// @param which contexts; empty: all
  void harvest(wait how, std::function<bool(context_state const&)> const& which = {});

  /// What was brought to the host so far, for a report: f(records, contexts, notes). Waits at most two seconds for
  /// others, since a crash may have come while one held the lock.
  template <class Function>
  void look(Function&& f) {
    std::unique_lock lock(results_mutex_, std::defer_lock);
    static_cast<void>(lock.try_lock_for(std::chrono::seconds(2)));
    std::set<std::string> notes = notes_;
    add_launch_notes(notes);
    for (context_state const& context : contexts_) {
      notes.insert(context.shadow_notes.begin(), context.shadow_notes.end());
    }
    f(records_, contexts_, std::move(notes));
  }
  void add_note(std::string const& note) {
    std::unique_lock lock(results_mutex_, std::defer_lock);
    if (lock.try_lock_for(std::chrono::seconds(2))) notes_.insert(note);  // not for ever: a crash may have come
  }

 private:
  struct handle_key {
    CUfunction function;
    std::uint32_t context_uid;
    bool operator==(handle_key const&) const = default;
  };
  struct handle_hash {
    std::size_t operator()(handle_key const& key) const {
      return (reinterpret_cast<std::uintptr_t>(key.function) >> 4) * 31 + key.context_uid;
    }
  };
  // How often a graph launches each function.
  struct graph_record {
    std::map<CUgraphNode, function_record*> nodes;
    std::vector<launched> counts;
  };
  struct order {
    attachment* of;
    launch_bin* bin;
  };
  enum class may_ask : std::uint8_t { yes, no };

  function_record& resolve(CUfunction function, CUcontext context, std::uint32_t context_uid, char const* name,
                           launch_shape const& shape);
  context_state& context_of(CUcontext handle, std::uint32_t uid);
  struct found_function {
    CUmodule module = nullptr;
    std::string name;
  };
  found_function look_up(CUfunction function, char const* name) const;
  function_record& record_of(context_state& context, attachment* where, std::string const& name);
  attachment* attach(context_state& context, CUmodule module, std::string const& id, std::string& why_not);
  std::string fill(context_state& context, attachment& made);
  static attachment* find_attachment(context_state& context, CUmodule module, std::string const& id);
  std::string take_memory(context_state& context, attachment& made);
  std::shared_ptr<read_table const> read_table_of(context_state& context, CUdeviceptr state, std::string const& id,
                                                  std::string& why_not);
  std::string copy_to_host(context_state& context, void* to, CUdeviceptr from, std::size_t bytes) const;
  std::string read(context_state& context, attachment& from);
  // What was launched before a wait.
  struct launch_counts {
    std::vector<std::pair<launch_group*, std::uint64_t>> groups;
    std::vector<std::pair<lane*, std::uint32_t>> lanes;
  };
  std::string read_all(context_state& context);
  enum class counted : std::uint8_t { all, streams };
  launch_counts launched_in(context_state& context, counted what);
  void conclude(context_state& context, std::string const& problem, launch_counts const& delivered);
  void have_ended(launch_counts const& before);
  static launch_counts& launched_before_wait();
  bool is_due(context_state const& context) const;
  context_state* find_context(std::uint32_t uid);
  void harvest_one(context_state& context, wait how);
  void collect_nodes(CUgraph graph, CUcontext context, std::uint32_t context_uid, graph_record& into, int depth);
  function_record& find_node(CUDA_KERNEL_NODE_PARAMS const& parameters, CUcontext context, std::uint32_t context_uid);
  static void count_nodes(graph_record& of);

  // shadow.cpp
  void place_shadow(context_state& context, attachment& where, std::size_t function);
  void write_shadow_word(context_state& context, CUdeviceptr word, std::uint64_t view) const;
  void detach_shadow(context_state& context);
  // The last empties the bits: kernels that add to them have ended, and none begins.
  enum class reading : std::uint8_t { for_now, last };
  void read_shadow(context_state& context, attachment& from, reading how);
  void blank_shadow_words(attachment const& of, std::byte* set) const;

  // apart.cpp
  static void see_plain_stream(attachment& of, CUstream stream);
  void prepare(context_state& context);
  bool is_offered_now(std::uint64_t number) const;
  launch_group& group_of(function_record& function, std::optional<std::uint64_t> launch, std::uint32_t part,
                         std::uint64_t count);
  static launch_bin* bin_for(attachment& of, launch_group& group, function_record& function);
  void start_switching(attachment& of, context_state& context);
  static bool may_switch(attachment const& of, lane const& on);
  void switch_to(attachment& of, launch_bin* bin, lane& on, std::vector<order>& orders);
  bool place(launch_under_way& launch, lane& on, may_ask how, std::vector<order>& orders);
  void place_beside(launch_under_way& launch, lane& on);
  static bool fits(attachment& of, launch_bin const& bin, launch_group const& group);
  void write_order(order const& what, lane const& on, std::uint32_t ended, CUstream stream);
  static void forget(attachment& of, stranger& gone);
  static void see_shape(launch_group& of, launch_shape const& shape);
  void make_room(context_state& context, attachment& of, launch_group const& group);
  CUresult grow(context_state& context, attachment& of, std::size_t sets);
  static std::vector<launch_bin*> ended_bins(attachment& of);
  void add_launch_notes(std::set<std::string>& notes) const;

  driver const& driver_;
  settings const& wanted_;
  bool const is_choosy_;
  std::function<std::string()> begin_;
  loaded_images images_;

  std::mutex attach_mutex_;
  std::optional<std::string> begin_result_;                          // attach_mutex_
  bool is_any_excluded_ = false;                                     // attach_mutex_
  std::map<std::string, std::shared_ptr<read_table const>> tables_;  // [id], attach_mutex_

  shadow_need need_;            // attach_mutex_
  allocation_map allocations_;  // attach_mutex_; of the contexts by their numbers
  std::atomic<bool> is_following_memory_{true}, has_shadow_{false};

  std::timed_mutex results_mutex_;
  std::deque<context_state> contexts_;
  std::deque<function_record> records_;
  std::map<std::tuple<context_state*, attachment*, std::string>, function_record*> known_records_;
  std::set<std::string> notes_;
  // Of launches that are kept apart or left out.
  std::atomic<std::uint64_t> next_launch_{0};
  std::uint64_t kept_groups_ = 0, merged_launches_ = 0, forced_launches_ = 0, partial_launches_ = 0;
  std::size_t kept_bytes_ = 0;
  block_tally all_blocks_{block_sample{}};
  inline static std::atomic<bool> is_stopped_{false};

  mutable std::shared_mutex handles_mutex_;
  std::unordered_map<handle_key, function_record*, handle_hash> handles_;
  std::atomic<std::uint64_t> generation_{1};  // of the handles
  std::atomic<bool> has_captured_{false};

  std::mutex graphs_mutex_;
  std::unordered_map<CUgraphExec, graph_record> graphs_;
};

}  // namespace pasta::ptx
#endif
