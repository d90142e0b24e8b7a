// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A process's run from attach to report.
#ifndef PASTA_SESSION_SESSION_HPP
#define PASTA_SESSION_SESSION_HPP

#include <unordered_map>

#include <pasta/report/json.hpp>
#include <pasta/session/annotated_range.hpp>
#include <pasta/session/crash_watch.hpp>
#include <pasta/session/kernel_name.hpp>
#include <pasta/session/pack_name.hpp>
#include <pasta/session/report_index.hpp>
#include <pasta/session/run_header.hpp>
#include <pasta/session/tool_run.hpp>

namespace pasta {

/// What a tool is called on command lines: its name, or the names of a pack joined by '+'.
template <class ToolOrPack>
std::string run_name() {
  std::string name;
  detail::for_each_tool(tools_of_t<ToolOrPack>{}, [&]<std::size_t Index, class Tool>() {
    if constexpr (Index > 0) name += '+';
    name += tool_name<Tool>();
  });
  return name;
}

/// The process's session. It attaches the tool that PASTA_TOOLS names before main, and writes the report when the
/// process ends, or when a signal ends it. It is never destroyed, since kernels may be launched until the very end.
class session final : public event_sink {
 public:
  /// The one session. @tparam Tools what this program was built with (a type_list)
  template <class... Tools>
  static session& instance(type_list<Tools...>) {
    static session* const one = make<Tools...>();
    return *one;
  }
  /// The session if there is one yet.
  static session* existing() { return one_; }

  bool is_attached() const { return run_ != nullptr; }
  executor& runs() { return *runs_; }

  /// Runs a kernel under the attached tool, or plainly. Any thread.
  template <class... Tools, class Kernel, class... Arguments>
  void launch(type_list<Tools...>, [[maybe_unused]] std::string const& name, Kernel const& kernel,
              launch_shape const& shape, std::uint64_t stream, Arguments const&... arguments) {
    if (owner_ != ::getpid()) begin_again();
    capture_kernel<vendor::current>{}(shape.grid, shape.block);
    if (run_ == nullptr) return runs_->run(kernel, shape, stream, arguments...);
    // A GPU's results are read before its runtime ends, which was set up by now: what is registered last is called
    // first.
    static bool const is_registered = std::atexit([] { one_->finish(nullptr); }) == 0;
    static_cast<void>(is_registered);
    if constexpr (sizeof...(Tools) > 0) {
      std::size_t number = 0;
      bool const is_stopped = is_stopped_.load(std::memory_order_relaxed);
      ((number++ == run_number_ ? static_cast<tool_run<Tools>&>(*run_).launch(name, current_range(), kernel, shape,
                                                                              stream, is_stopped, arguments...)
                                : void()),
       ...);
    }
  }

  /// Tells the tools of something that happened on the host. Any thread.
  template <class Event>
  void happened(Event const& what) {
    if (run_ == nullptr) return;
    if (owner_ != ::getpid()) begin_again();
    run_->happened(what);
  }

  void start() {
    is_stopped_ = false;
    explain("launches are analysed from here on");
  }
  void stop() {
    is_stopped_ = true;
    explain("launches are left out from here on");
  }

  /// Writes the report. Once per process; later calls do nothing.
  /// @param why_incomplete null for a process that ends by itself, else the signal's name
  void finish(char const* why_incomplete) noexcept {
    if (run_ == nullptr || owner_ != ::getpid()) return;
    finish_stage expected = finish_stage::not_yet;
    if (!stage_.compare_exchange_strong(expected, finish_stage::writing)) {
      // A signal that comes while the report is being written waits for it; crash_watch sets the limit.
      while (why_incomplete != nullptr && stage_ != finish_stage::done) ::usleep(1000);
      return;
    }
    // Nothing that can wait may interrupt this thread now: its handler would wait for what it interrupted.
    crash_watch::signals_held const held;
    try {
      report_model model = make_report();
      if (why_incomplete != nullptr) {
        model.is_complete = false;
        model.incomplete_reason = fmt::format("killed by {}", why_incomplete);
      }
      write_json_file(model, path_);
      tell_index(why_incomplete != nullptr ? "incomplete" : "complete", "");
      if (!settings_.is_quiet) detail::say(fmt::format("report: {} (to read it: pasta show FILE)", visible(path_)));
    } catch (std::exception const& error) {
      tell_index("failed", error.what());
      if (!settings_.is_quiet) std::fprintf(stderr, "pasta: the report failed: %s\n", error.what());
    }
    stage_ = finish_stage::done;
  }

  void launch_seen(dim3, dim3) noexcept override { launches_seen_.fetch_add(1, std::memory_order_relaxed); }
  void memory_seen(void* pointer, std::size_t bytes) noexcept override {
    std::uint64_t const now = get_nanoseconds<vendor::host>{}();
    auto const address = reinterpret_cast<std::uintptr_t>(pointer);
    try {
      if (bytes > 0) {
        allocations_->add(address, bytes);
        happened(allocation{address, bytes, runs_->current_device(), now});
      } else {
        happened(deallocation{address, allocations_->remove(address), runs_->current_device(), now});
      }
    } catch (std::exception const&) {  // no memory to remember an allocation: the program must not notice
    }
  }

 private:
  enum class finish_stage : std::uint8_t { not_yet, writing, done };
  // Of live allocations, for their release.
  class allocation_sizes {
   public:
    void add(std::uintptr_t address, std::size_t bytes) {
      std::lock_guard const lock(mutex_);
      bytes_[address] = bytes;
    }
    std::size_t remove(std::uintptr_t address) {
      std::lock_guard const lock(mutex_);
      auto const known = bytes_.find(address);
      if (known == bytes_.end()) return 0;
      std::size_t const bytes = known->second;
      bytes_.erase(known);
      return bytes;
    }

   private:
    std::mutex mutex_;
    std::unordered_map<std::uintptr_t, std::size_t> bytes_;
  };

  session() = default;

  template <class... Tools>
  static session* make() {
    auto* const made = new session;  // never deleted, see above
    try {
      made->settings_ = read_settings(PASTA_PROGRAM_ROUTE);
      made->runs_ = new executor(made->settings_);
      made->attach<Tools...>();
    } catch (usage_error const& error) {
      detail::say(error.what());
      ::_exit(2);
    }
    one_ = made;
    if constexpr (sizeof...(Tools) > 0) {
      if (made->is_attached()) {
        install_sink(made);
        std::atexit([] { one_->finish(nullptr); });
        crash_watch::start([](char const* signal_name) { one_->finish(signal_name); });
      }
    }
    return made;
  }

  template <class... Tools>
  void attach() {
    if (settings_.tools.empty()) return explain("PASTA_TOOLS is not set");
    std::size_t number = 0;
    [[maybe_unused]] auto const try_one = [&]<class Tool>() {
      if (tools_of_pack(run_name<Tool>()) == tools_of_pack(settings_.tools)) {
        run_number_ = number;
        make_run_ = [](session& self) -> tool_run_base* { return new tool_run<Tool>(*self.runs_, self.settings_); };
      }
      ++number;
    };
    (try_one.template operator()<Tools>(), ...);
    path_ = first_path_ = detail::absolute(detail::expand_path(settings_.output, settings_.tools));
    if (make_run_ == nullptr) {
      std::string known;
      ((known += (known.empty() ? "" : ", ") + run_name<Tools>()), ...);
      std::string const why = fmt::format("{} was built with {}, not with {}", detail::program_name(),
                                          known.empty() ? "no tool" : known, visible(settings_.tools));
      if (!settings_.is_quiet) detail::say(fmt::format("{}; it runs without a tool", why));
      tell_index("failed", why);
      return;
    }
    begin();
  }

  void explain(std::string const& what) const {
    if (settings_.is_debugging) detail::say(fmt::format("{} ({}): {}", detail::program_name(), ::getpid(), what));
  }

  void begin() {
    run_ = make_run_(*this);
    begin_ns_ = get_nanoseconds<vendor::host>{}();
    header_ = detail::make_header(settings_);
    tell_index("attach", "");
    explain(fmt::format("attached {}, the report goes to {}", settings_.tools, visible(path_)));
  }

  // In a forked child, at its first launch: what the parent collected is the parent's to report.
  void begin_again() {
    std::lock_guard const lock(fork_mutex_);
    if (owner_ == ::getpid()) return;
    runs_ = new executor(settings_);      // the old one's threads are not here to be joined
    allocations_ = new allocation_sizes;  // the old one may have been locked when the process forked
    launches_seen_ = 0;
    stage_ = finish_stage::not_yet;
    if (run_ != nullptr) {
      path_ = child_path();
      begin();
      crash_watch::restart_after_fork();
    }
    owner_ = ::getpid();  // last: who sees it may use the rest
  }

  // A name without %p is the first process's: its children and their children add their process id.
  std::string child_path() const {
    std::string path = detail::absolute(detail::expand_path(settings_.output, settings_.tools));
    return path == first_path_ ? fmt::format("{}.{}", path, ::getpid()) : path;
  }

  report_model make_report() {
    report_model model;
    model.tools = run_->report(model.notes);
    model.header = header_;
    runs_->fill(model.header);
    model.header.wall_ns = get_nanoseconds<vendor::host>{}() - begin_ns_;
    if (launches_seen_.load() == 0) model.notes.push_back("the program launched no kernel");
    if (settings_.selection.schedule.is_set() && step_count::current() == 0) model.notes.push_back(no_step_note);
    return model;
  }

  void tell_index(std::string_view what, std::string_view why) const noexcept {
    detail::tell_index(settings_, what, path_, why);
  }

  inline static session* one_ = nullptr;

  settings settings_;
  executor* runs_ = nullptr;
  tool_run_base* run_ = nullptr;
  tool_run_base* (*make_run_)(session&) = nullptr;
  std::size_t run_number_ = 0;
  report_header header_;
  std::string path_, first_path_;  // of this process's report, and of that of the process that attached first
  std::uint64_t begin_ns_ = 0;
  std::mutex fork_mutex_;
  allocation_sizes* allocations_ = new allocation_sizes;
  std::atomic<pid_t> owner_{::getpid()};
  std::atomic<finish_stage> stage_{finish_stage::not_yet};
  std::atomic<bool> is_stopped_{false};
  std::atomic<std::uint64_t> launches_seen_{0};
};

}  // namespace pasta
#endif
