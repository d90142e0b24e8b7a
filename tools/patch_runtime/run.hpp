// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PATCH_RUNTIME_RUN_HPP
#define PASTA_TOOLS_PATCH_RUNTIME_RUN_HPP

#include "collector.hpp"
#include "process_run.hpp"

namespace pasta::patch {

/// A process's run on the patch route.
class run final : public ptx::process_run {
 public:
  /// @param set with tools
  explicit run(settings set);

  static run* existing() { return one_; }
  /// Makes the run and follows the Compute Sanitizer's callbacks. Once, as the driver starts.
  static void start(settings set);

  patch::collector& collector() { return collector_; }
  /// Whether the calling process is the one that the run is of: a forked child has no GPU.
  bool is_here() const;
  /// Something went wrong within the collector: it collects no more.
  void give_up(char const* why) noexcept;

 private:
  void collect(char const* why_incomplete) override;
  void fill(report_model& report) override;
  std::string why_nothing() override;
  collector::patches find_patches();

  inline static run* one_ = nullptr;

  sanitizer sanitizer_;
  ptx::driver driver_;
  patch::collector collector_;
};

}  // namespace pasta::patch
#endif
