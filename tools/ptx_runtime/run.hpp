// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTX_RUNTIME_RUN_HPP
#define PASTA_TOOLS_PTX_RUNTIME_RUN_HPP

#include <pasta/session/settings.hpp>

#include "collector.hpp"
#include "tool_library.hpp"

namespace pasta::ptx {

/// A process's run: from the driver's start to the report. The one is never destroyed.
class run {
 public:
  /// @param set with tools
  explicit run(settings set);

  static run* existing() { return one_; }
  /// Makes the run and follows the driver's calls. Once, as the driver starts.
  static void start(settings set);

  pasta::ptx::collector& collector() { return collector_; }
  driver const& with() const { return driver_; }

  /// Writes the report, once. @param why_incomplete null for a process that ends by itself, else the signal's name
  void finish(char const* why_incomplete) noexcept;
  /// Something went wrong within the collector: one line, and it collects no more.
  void give_up(char const* why) noexcept;
  bool is_over() const { return is_over_.load(std::memory_order_relaxed); }

 private:
  std::string begin();
  void refuse(std::string const& why);
  void harvest(char const* why_incomplete);
  report_model make_report(char const* why_incomplete);
  void write_report(char const* why_incomplete);
  void fill_device(report_header& header) const;

  inline static run* one_ = nullptr;

  settings settings_;
  driver driver_;
  pasta::ptx::collector collector_;
  std::vector<tool_library> tools_;
  report_header header_;
  std::string path_, program_;
  std::uint64_t begin_ns_ = 0;
  pid_t const owner_;
  std::atomic<bool> has_begun_{false}, is_over_{false}, is_finishing_{false}, is_finished_{false};
};

}  // namespace pasta::ptx
#endif
