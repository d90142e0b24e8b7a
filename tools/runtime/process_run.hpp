// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_RUNTIME_PROCESS_RUN_HPP
#define PASTA_TOOLS_RUNTIME_PROCESS_RUN_HPP

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <pasta/report/model.hpp>
#include <pasta/session/settings.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tool_library.hpp"

namespace pasta::ptx {

/// A process's run, of whatever route: from the driver's start to the report. The one is never destroyed.
class process_run {
 public:
  process_run(process_run const&) = delete;
  process_run& operator=(process_run const&) = delete;

  /// Writes the report, once. @param why_incomplete null for a process that ends by itself, else the signal's name
  void finish(char const* why_incomplete) noexcept;
  bool is_over() const { return is_over_.load(std::memory_order_relaxed); }

 protected:
  /// @param set with tools @param route for the report
  process_run(settings set, std::string_view route);
  ~process_run() = default;

  // What routes do each in its way.
  /// Brings what was collected to the host.
  virtual void collect(char const* why_incomplete) = 0;
  /// A section for each tool, notes, and what is known of the device.
  virtual void fill(report_model& report) = 0;
  /// Why a process that ends has nothing to report, half a line; "" if there is nothing to say.
  virtual std::string why_nothing() = 0;

  /// Has the process end in finish(), whatever comes of it.
  void finish_at_exit();
  /// Loads the tools, before the first of what they collect. @return "" or half a line, which was said
  std::string begin();
  /// Nothing is collected: the program runs as if nobody were here.
  void refuse(std::string const& why);
  /// @return whether it was not over before
  bool end() { return !is_over_.exchange(true); }
  /// Runs it in a thread of its own, for a while: a driver that was interrupted, or a kernel without end, must not hold
  /// the process up. @param why_incomplete as finish() has it: with a signal the time is short
  /// @return "" or a note for the report: it was not waited for to its end
  static std::string run_for_a_while(std::function<void()> what, char const* why_incomplete);

  settings const& wanted() const { return settings_; }
  std::vector<tool_library> const& tools() const { return tools_; }
  std::string const& program() const { return program_; }
  pid_t owner() const { return owner_; }

 private:
  report_model make_report(char const* why_incomplete);
  void write_report(char const* why_incomplete);

  inline static process_run* one_ = nullptr;

  settings settings_;
  std::vector<tool_library> tools_;
  report_header header_;
  std::string path_, program_;
  std::uint64_t begin_ns_ = 0;
  pid_t const owner_;
  std::atomic<bool> has_begun_{false}, is_over_{false}, is_finishing_{false}, is_finished_{false};
};

}  // namespace pasta::ptx
#endif
