// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Patches modules, gives launches what their patches add to, and reads what was collected.
///
/// All of it is under one lock, which is held while the Compute Sanitizer is called: it wants its patching functions
/// called one at a time. What it tells of from within such a call is left alone.
#ifndef PASTA_TOOLS_PATCH_RUNTIME_COLLECTOR_HPP
#define PASTA_TOOLS_PATCH_RUNTIME_COLLECTOR_HPP

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <pasta/session/ptx/tool_exchange.hpp>
#include <pasta/session/settings.hpp>
#include <set>
#include <unordered_map>

#include "driver.hpp"
#include "guest.hpp"
#include "records.hpp"

namespace pasta::patch {

/// While it lives what the Compute Sanitizer tells of on the calling thread is the collector's own doing.
class own_calls {
 public:
  own_calls() { ++depth_; }
  ~own_calls() { --depth_; }
  own_calls(own_calls const&) = delete;
  own_calls& operator=(own_calls const&) = delete;
  static bool are_made() { return depth_ > 0; }

 private:
  inline static constinit thread_local int depth_ = 0;
};

class collector {
 public:
  /// What is to be patched in, once the tool is loaded.
  struct patches {
    std::string file;  ///< the fatbin
    tool_patches about;
    std::string why_not;  ///< half a line; empty: all is well
    ptx::shadow_need shadow = {};
  };
  /// @param begin called once, before the first module is patched
  /// @param host of a guest: modules that have counters of their own are its; null: all modules are the collector's
  collector(sanitizer const& with, ptx::driver const& driver, settings const& wanted, std::function<patches()> begin,
            collecting::guest_host const* host = nullptr)
      : with_(with),
        driver_(driver),
        wanted_(wanted),
        begin_(std::move(begin)),
        host_(host),
        tally_(make_block_sample(wanted.block_rate, wanted.seed)) {}

  // ---- From within the Compute Sanitizer's callbacks. Any thread.

  void context_made(Sanitizer_ResourceContextData const& what);
  void context_ends(CUcontext context);
  void module_loaded(Sanitizer_ResourceModuleData const& what);
  void module_ends(Sanitizer_ResourceModuleData const& what);
  void memory_made(Sanitizer_ResourceMemoryData const& what);
  void memory_ends(Sanitizer_ResourceMemoryData const& what);
  enum class launched_by : std::uint8_t { call, graph };
  void launch_begins(Sanitizer_LaunchData const& what, launched_by how);
  /// The program has waited: a moment to bring to the host what is there, in case that the GPU fails later.
  enum class waited : std::uint8_t { for_context, for_stream };
  void wait_ended(Sanitizer_SynchronizeData const& what, waited how);

  // ---- Of a host.

  /// The number of the calling thread's next launch: the host numbers those of both routes.
  void number_launches(std::uint64_t first);

  // ---- Of the program.

  /// From here on all launches of the process are left out, or those that were chosen are not. Also before there is a
  /// collector.
  static void stop() { is_stopped_ = true; }
  static void go_on() { is_stopped_ = false; }

  // ---- Results.

  /// Waits for all contexts and brings what they collected to the host.
  void harvest();
  /// f(records, contexts, notes). Waits at most two seconds for others, since a crash may have come while one held the
  /// lock.
  template <class Function>
  void look(Function&& f) {
    std::unique_lock lock(mutex_, std::defer_lock);
    static_cast<void>(lock.try_lock_for(std::chrono::seconds(2)));
    f(records_, contexts_, notes_);
  }
  void add_note(std::string const& note) {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (lock.try_lock_for(std::chrono::seconds(2))) notes_.insert(note);
  }

 private:
  struct kernel_key {
    CUcontext context;
    CUfunction function;
    bool operator==(kernel_key const&) const = default;
  };
  struct kernel_hash {
    std::size_t operator()(kernel_key const& key) const {
      return (reinterpret_cast<std::uintptr_t>(key.function) >> 4) * 31 + reinterpret_cast<std::uintptr_t>(key.context);
    }
  };

  context_record& context_of(CUcontext handle);
  context_record* find_context(CUcontext handle);
  kernel_record& kernel_of(Sanitizer_LaunchData const& what);
  std::uint64_t next_number();
  std::string const& range() const;
  bool is_offered_now(std::uint64_t number) const;
  bool is_sampling() const { return wanted_.sampling_rate < 1 || wanted_.block_rate < 1; }
  launch_group& group_of(kernel_record& kernel, std::uint64_t number, std::uint32_t part, launched_by how);
  void prepare(kernel_record& kernel, Sanitizer_StreamHandle stream);
  void add_patches(context_record& context);
  std::string prepare_context(context_record& context, Sanitizer_StreamHandle stream);
  bool is_others(context_record& context, CUmodule module, std::string_view image,
                 std::vector<std::string> const& kernels) const;
  bool has_chosen(context_record const& context, std::vector<std::string> const& kernels) const;
  void patch_module(context_record& context, CUmodule module);
  std::optional<std::uint32_t> make_state(context_record& context, std::string const& kernel);
  std::uint64_t user_data_of_call(kernel_record& kernel, launch_group& group, Sanitizer_StreamHandle stream);
  std::uint64_t user_data_of_graph(kernel_record const& kernel, launch_group& group);
  void read(context_record& context, Sanitizer_StreamHandle stream);
  // shadow.cpp
  void start_shadow(context_record& context);
  void prepare_shadow(context_record& context, std::uint32_t state, shadow_record& shadow,
                      Sanitizer_StreamHandle stream);
  enum class ended : std::uint8_t { all, some };
  void read_shadow(context_record& context, ended how);
  static void find_places(context_record& context);
  void count_delivered(context_record const& context);

  sanitizer const& with_;
  ptx::driver const& driver_;
  settings const& wanted_;
  std::function<patches()> begin_;
  collecting::guest_host const* host_;

  std::timed_mutex mutex_;
  std::optional<patches> patches_;
  std::list<context_record> contexts_;
  std::deque<kernel_record> records_;
  std::unordered_map<kernel_key, kernel_record*, kernel_hash> kernels_;
  std::set<std::string> notes_;
  std::uint64_t next_launch_ = 0;
  block_tally tally_;
  allocation_map allocations_;  // of all devices
  inline static std::atomic<bool> is_stopped_{false};
};

}  // namespace pasta::patch
#endif
