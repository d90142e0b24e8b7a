// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_HIP_RUNTIME_RUN_HPP
#define PASTA_TOOLS_HIP_RUNTIME_RUN_HPP

#include <string>

#include "collector.hpp"
#include "process_run.hpp"

namespace pasta::hip_runtime {

/// A process's run: from its first launch to the report.
class run final : public collecting::process_run {
 public:
  /// Of a process that launches; made at its first launch if the variables ask for tools. Any thread.
  /// @return null where nothing is to be collected, or no more
  static run* active();
  /// The same for a process that has memory: one that does nothing else has nothing to say at its end.
  static run* following_memory();
  /// One that is there already, or null.
  static run* existing() { return existing_.load(std::memory_order_acquire); }

  hip_runtime::collector& collector() { return collector_; }

 private:
  run(settings set, runtime const& with);
  static void start();
  std::string begin_collecting();
  bool has_shadow() const override { return true; }
  void harvest() override;
  void fill(report_model& model) override;
  void add_note(std::string const& note) override { collector_.add_note(note); }
  std::uint64_t count_launches() override;

  inline static std::atomic<run*> existing_{nullptr};
  inline static std::atomic<bool> is_started_{false}, is_finished_at_exit_{false};

  runtime const& runtime_;
  hip_runtime::collector collector_;
};

}  // namespace pasta::hip_runtime
#endif
