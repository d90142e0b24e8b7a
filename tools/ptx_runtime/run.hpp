// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTX_RUNTIME_RUN_HPP
#define PASTA_TOOLS_PTX_RUNTIME_RUN_HPP

#include "collector.hpp"
#include "process_run.hpp"

namespace pasta::ptx {

/// A process's run: from the driver's start to the report.
class run final : public collecting::process_run {
 public:
  /// @param set with tools
  explicit run(settings set);

  static run* existing() { return existing_; }
  /// Makes the run and follows the driver's calls. Once, as the driver starts.
  static void start(settings set);

  pasta::ptx::collector& collector() { return collector_; }
  driver const& with() const { return driver_; }

 private:
  void harvest() override;
  void fill(report_model& model) override;
  void add_note(std::string const& note) override { collector_.add_note(note); }
  std::uint64_t count_launches() override;
  bool has_shadow() const override { return true; }
  std::string begin_collecting();

  inline static run* existing_ = nullptr;

  driver driver_;
  pasta::ptx::collector collector_;
};

}  // namespace pasta::ptx
#endif
