// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_COLLECTING_PROCESS_RUN_HPP
#define PASTA_TOOLS_COLLECTING_PROCESS_RUN_HPP

#include <unistd.h>

#include <atomic>
#include <functional>
#include <pasta/session/ptx/collected.hpp>
#include <pasta/session/settings.hpp>
#include <set>
#include <string>
#include <vector>

#include "tool_library.hpp"

namespace pasta::collecting {

/// A process's run under a collector that was loaded into it, from its start to the report. A derived class knows the
/// vendor. The process has one, which is never destroyed: what runs at its end, and at a signal, finds it here.
class process_run {
 public:
  /// @param set with tools @param route, vendor for the report's header
  process_run(settings set, std::string const& route, std::string const& vendor);
  virtual ~process_run() = default;
  process_run(process_run const&) = delete;
  process_run& operator=(process_run const&) = delete;

  /// Writes the report, once. @param why_incomplete null for a process that ends by itself, else the signal's name
  void finish(char const* why_incomplete) noexcept;
  /// Something went wrong within the collector: one line, and it collects no more.
  void give_up(char const* why) noexcept;
  bool is_over() const { return is_over_.load(std::memory_order_relaxed); }

 protected:
  /// Loads the tools, and has the report written at the process's end: something is about to be collected.
  /// @return why nothing is to be, or ""
  std::string begin();
  /// The report is to be written also where nothing has begun, or rather a line that says so.
  static void finish_at_exit();
  /// Nothing is collected: the program runs as if nobody were here.
  void refuse(std::string const& why);
  void end() { is_over_ = true; }

  using rows_of_tool = std::function<ptx::collected(std::string const& tool)>;
  /// Adds each tool's section, of what it gets of the rows.
  void ask_tools(report_model& model, std::set<std::string>& notes, rows_of_tool const& rows) const;

  /// Brings what was collected to the host, and waits for kernels. In a thread of its own; may throw.
  virtual void harvest() = 0;
  /// Device, sections and notes.
  virtual void fill(report_model& model) = 0;
  /// A sentence for the report; never waits for long.
  virtual void add_note(std::string const& note) = 0;
  /// Whether the collector has shadow memory for tools.
  virtual bool has_shadow() const { return false; }
  /// What the tool with shadow bits asks for; of a run without one nothing. From begin() on.
  ptx::shadow_need const& shadow() const { return shadow_; }
  /// How many launches were seen.
  virtual std::uint64_t count_launches() = 0;
  /// Why a process that ends has nothing to report, half a line; "" if there is nothing to say.
  virtual std::string why_nothing();

  settings const& wanted() const { return settings_; }
  std::vector<tool_library> const& tools() const { return tools_; }
  pid_t owner() const { return owner_; }
  /// One line, where PASTA_DEBUG asks for such: "program (123): what was done".
  void explain(std::string const& what) const;

  inline static process_run* one_ = nullptr;

 private:
  void harvest_in_time(char const* why_incomplete);
  report_model make_report(char const* why_incomplete);
  void write_report(char const* why_incomplete);

  settings const settings_;
  std::string const program_;
  pid_t const owner_;
  std::vector<tool_library> tools_;
  ptx::shadow_need shadow_;
  report_header header_;
  std::string path_;
  std::uint64_t begin_ns_ = 0;
  std::atomic<bool> has_begun_{false}, is_over_{false}, is_finishing_{false}, is_finished_{false};
};

}  // namespace pasta::collecting
#endif
