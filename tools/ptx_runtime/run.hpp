// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTX_RUNTIME_RUN_HPP
#define PASTA_TOOLS_PTX_RUNTIME_RUN_HPP

#include <atomic>
#include <mutex>
#include <optional>
#include <pasta/session/annotated_range.hpp>

#include "collector.hpp"
#include "guest.hpp"
#include "process_run.hpp"

namespace pasta::ptx {

/// A process's run: from the driver's start to the report. Where no route was named it has the patch route's collector
/// as a guest, which sees the kernels of modules that have no counters (route `auto`).
class run final : public collecting::process_run, public collecting::guest_host {
 public:
  /// @param set with tools
  explicit run(settings set);

  static run* existing() { return existing_; }
  /// Null: there is none.
  static collecting::guest* guest() { return guest_.load(std::memory_order_acquire); }
  /// Makes the run and follows the driver's calls. Once, as the driver starts.
  static void start(settings set);

  pasta::ptx::collector& collector() { return collector_; }
  driver const& with() const { return driver_; }

  /// The calling thread is about to launch. @param first the number of its first launch
  static void number_launches(std::uint64_t first) {
    if (collecting::guest* const here = guest()) here->number_launches(first);
  }
  /// Whether what the driver does now on the calling thread is the guest's doing.
  static bool is_guests_call() {
    collecting::guest* const here = guest();
    return here != nullptr && here->is_calling();
  }

  // ---- For the guest.
  settings const& asked() const override { return wanted(); }
  std::string begin_once() override;
  collecting::tool_library const& tool() const override { return tools().front(); }
  shadow_need const& shadow_of_tool() const override { return need_; }
  std::string const& range() const override { return current_range(); }
  bool is_calling() const override { return capture_relaxed::is_active(); }
  bool has_ended() const override { return is_over(); }
  bool reads_counters() const override { return why_deaf_.empty(); }

 private:
  void harvest() override;
  void fill(report_model& model) override;
  void add_note(std::string const& note) override { collector_.add_note(note); }
  std::uint64_t count_launches() override;
  bool has_shadow() const override { return true; }
  void start_guest();
  void tell_why_alone(std::set<std::string>& notes, std::uint64_t plain_launches) const;

  inline static run* existing_ = nullptr;
  inline static std::atomic<collecting::guest*> guest_{nullptr};

  driver driver_;
  pasta::ptx::collector collector_;
  std::mutex begin_mutex_;
  std::optional<std::string> begin_result_;  // begin_mutex_
  shadow_need need_;                         // written before begin_once() returns
  std::string why_deaf_;                     // nothing is collected by this route itself: half a line
  std::string why_alone_;                    // there is no guest, and there could be: half a line
};

}  // namespace pasta::ptx
#endif
