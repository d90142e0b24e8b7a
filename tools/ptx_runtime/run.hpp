// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTX_RUNTIME_RUN_HPP
#define PASTA_TOOLS_PTX_RUNTIME_RUN_HPP

#include "collector.hpp"
#include "process_run.hpp"

namespace pasta::ptx {

/// A process's run on the ptx route.
class run final : public process_run {
 public:
  /// @param set with tools
  explicit run(settings set);

  static run* existing() { return one_; }
  /// Makes the run and follows the driver's calls. Once, as the driver starts.
  static void start(settings set);

  pasta::ptx::collector& collector() { return collector_; }
  driver const& with() const { return driver_; }

  /// Something went wrong within the collector: one line, and it collects no more.
  void give_up(char const* why) noexcept;

 private:
  void collect(char const* why_incomplete) override;
  void fill(report_model& report) override;
  std::string why_nothing() override;

  inline static run* one_ = nullptr;

  driver driver_;
  pasta::ptx::collector collector_;
};

}  // namespace pasta::ptx
#endif
