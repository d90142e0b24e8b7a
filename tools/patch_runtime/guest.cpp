// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The collector as a guest of the ptx route's: it patches modules that have no counters, and has no report of its own.
#include "guest.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <pasta/session/pack_name.hpp>

#include "callbacks.hpp"
#include "collector.hpp"
#include "find_patches.hpp"
#include "rows.hpp"

namespace pasta::patch {

namespace {

class guest_run final : public collecting::guest, public event_target {
 public:
  explicit guest_run(collecting::guest_host& host)
      : host_(&host),
        owner_(::getpid()),
        collector_(
            sanitizer_, driver_, host.asked(), [this] { return begin(); }, &host) {}

  /// @return "" or half a line: why it collects nothing
  std::string start() {
    std::string problem = why_no_patches(host_->asked().tools);
    if (problem.empty()) problem = driver_.load();
    if (problem.empty()) problem = sanitizer_.load();
    if (problem.empty()) problem = sanitizer_.subscribe(&on_event, static_cast<event_target*>(this));
    is_over_ = !problem.empty();
    return problem;
  }

  // ---- Of a guest.
  void number_launches(std::uint64_t first) override { collector_.number_launches(first); }
  bool is_calling() const override { return own_calls::are_made(); }
  void end_step() override { step_count::end_step(); }
  void go_on() override { patch::collector::go_on(); }
  void stop() override { patch::collector::stop(); }
  void harvest() override { collector_.harvest(); }
  void look(std::function<void(collecting::guest_results&)> const& f) override {
    collector_.look([&](auto const& records, auto& contexts, std::set<std::string> notes) {
      collecting::guest_results results;
      for (context_record const& context : contexts) {
        char name[256] = "";
        bool const is_named =
            context.memory.exists() && driver_.cuDeviceGetName_(name, sizeof name, context.device) == CUDA_SUCCESS;
        if (is_named && results.devices.find(name) == std::string::npos)
          results.devices += (results.devices.empty() ? "" : ", ") + std::string(name);
      }
      results.rows = make_rows(records, contexts, host_->asked(), notes);
      results.notes = std::move(notes);
      f(results);
    });
  }
  std::uint64_t count_launches() override {
    std::uint64_t launches = 0;
    collector_.look([&](auto const& records, auto const&, auto const&) {
      for (kernel_record const& record : records) {
        for (launch_group const& group : record.groups) launches += group.launches;
      }
    });
    return launches;
  }

  // ---- Of what the Compute Sanitizer tells.
  patch::collector& collector() override { return collector_; }
  bool is_following() const override {
    return !is_over_.load(std::memory_order_relaxed) && !host_->has_ended() && owner_ == ::getpid();
  }
  bool is_hosts_call() const override { return host_->is_calling(); }
  void give_up(char const* why) noexcept override {
    if (is_over_.exchange(true)) return;
    try {
      collector_.add_note(fmt::format("The patch route collected nothing from some moment on: {}", why));
    } catch (...) {  // not even memory for a sentence
    }
  }

 private:
  // Before the vendor's library is loaded, which costs each program that it is in.
  static std::string why_no_patches(std::string const& tools) {
    auto const names = split_names(tools, "+,");
    if (names.size() != 1) return "it runs one tool at a time";
    try {
      return find_patches(collecting::tool_library(names.front())).why_not;
    } catch (std::exception const& error) {
      return error.what();
    }
  }
  patch::collector::patches begin() {
    std::string const why_not = host_->begin_once();
    if (!why_not.empty()) {
      patch::collector::patches none;
      none.why_not = why_not;
      return none;
    }
    patch::collector::patches found = find_patches(host_->tool());
    found.shadow = host_->shadow_of_tool();
    return found;
  }

  collecting::guest_host* host_;
  pid_t const owner_;
  std::atomic<bool> is_over_{true};
  sanitizer sanitizer_;
  ptx::driver driver_;
  patch::collector collector_;
};

}  // namespace
}  // namespace pasta::patch

#define PASTA_DETAIL_EXPORTED __attribute__((visibility("default")))

// NOLINTBEGIN(readability-identifier-naming): names of the interface
extern "C" {
PASTA_DETAIL_EXPORTED char const* pasta_guest_version() {
  static std::string const version = pasta::collecting::guest_version();
  return version.c_str();
}
/// @return null: it collects nothing, for the reason that is said
PASTA_DETAIL_EXPORTED pasta::collecting::guest* pasta_start_guest(pasta::collecting::guest_host* host,
                                                                  std::string* why_not) {
  // What an earlier call made may have told the Compute Sanitizer of itself: never destroyed.
  auto* const made = new pasta::patch::guest_run(*host);
  *why_not = made->start();
  return why_not->empty() ? made : nullptr;
}
}
// NOLINTEND(readability-identifier-naming)
