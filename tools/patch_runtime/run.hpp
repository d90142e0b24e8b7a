// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PATCH_RUNTIME_RUN_HPP
#define PASTA_TOOLS_PATCH_RUNTIME_RUN_HPP

#include "callbacks.hpp"
#include "collector.hpp"
#include "process_run.hpp"

namespace pasta::patch {

/// A process's run on the patch route.
class run final : public collecting::process_run, public event_target {
 public:
  /// @param set with tools
  explicit run(settings set);

  static run* existing() { return existing_; }
  /// Makes the run and follows the Compute Sanitizer's callbacks. Once, as the driver starts.
  static void start(settings set);

  patch::collector& collector() override { return collector_; }
  bool is_following() const override;
  void give_up(char const* why) noexcept override { process_run::give_up(why); }

 private:
  void harvest() override { collector_.harvest(); }
  void fill(report_model& report) override;
  void add_note(std::string const& note) override { collector_.add_note(note); }
  std::uint64_t count_launches() override;
  bool has_shadow() const override { return true; }
  std::string why_nothing() override;
  collector::patches find_patches();

  inline static run* existing_ = nullptr;

  sanitizer sanitizer_;
  ptx::driver driver_;
  patch::collector collector_;
};

}  // namespace pasta::patch
#endif
