// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "process_run.hpp"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <pasta/report/json.hpp>
#include <pasta/session/crash_watch.hpp>
#include <pasta/session/pack_name.hpp>
#include <pasta/session/ptx/read_site_table.hpp>
#include <pasta/session/report_index.hpp>
#include <pasta/session/run_header.hpp>
#include <pasta/vendor/host/clock.hpp>
#include <thread>

#include "launch_share.hpp"

namespace pasta::collecting {

namespace {

// A program that ends while its kernels run for ever is not held up for longer.
constexpr auto wait_at_end = std::chrono::seconds(10), wait_in_crash = std::chrono::seconds(3);

std::uint64_t now_ns() { return get_nanoseconds<vendor::host>{}(); }

}  // namespace

process_run::process_run(settings set, std::string const& route, std::string const& vendor)
    : settings_(std::move(set)), program_(pasta::detail::program_name()), owner_(::getpid()) {
  begin_ns_ = now_ns();
  path_ = pasta::detail::absolute(pasta::detail::expand_path(settings_.output, settings_.tools));
  header_ = pasta::detail::make_header(settings_);
  header_.route = route;
  header_.vendor = vendor;
  header_.compiler = header_.compiler_flags = "";  // those of this library say nothing about the program
}

void process_run::refuse(std::string const& why) {
  is_over_ = true;
  std::string const line = fmt::format("{} runs without a tool: {}", program_, why);
  if (!settings_.is_quiet) pasta::detail::say(line);
  pasta::detail::tell_index(settings_, "failed", path_, line);
}

void process_run::explain(std::string const& what) const {
  if (settings_.is_debugging) pasta::detail::say(fmt::format("{} ({}): {}", program_, owner_, what));
}

void process_run::give_up(char const* why) noexcept {
  if (is_over_.exchange(true)) return;
  try {
    add_note(fmt::format("Nothing was collected from some moment on: {}", why));
  } catch (...) {  // not even memory for a sentence
  }
}

void process_run::finish_at_exit() {
  std::atexit([] { one_->finish(nullptr); });
}

std::string process_run::begin() {
  try {
    for (std::string const& name : split_names(settings_.tools, "+,")) {
      tool_library tool(name);
      ptx::tool_exchange options;
      std::vector<std::pair<std::string, std::string>> own;
      for (auto const& [option, value] : settings_.tool_options) {
        // "coalescing.sector-bytes" is one tool's; without a name an option is for all tools that have it.
        std::size_t const dot = option.find('.');
        if (dot == std::string::npos || option.substr(0, dot) == name) own.emplace_back(option, value);
      }
      options.options = &own;
      tool.ask(options);
      if (!options.error.empty()) throw ptx::table_error(options.error);
      if (options.shadow.request.limit_bytes > 0) {
        if (!has_shadow())
          throw ptx::table_error(fmt::format(
              "{} has shadow bits, which this route has not; routes that have: probe, ptx, patch, llvm", name));
        if (!shadow_.tool.empty())
          throw ptx::table_error(
              fmt::format("{} and {} both have shadow bits: one of them at a time", shadow_.tool, name));
        shadow_ = options.shadow;
      }
      tools_.push_back(std::move(tool));
    }
  } catch (std::exception const& error) {
    refuse(error.what());
    return error.what();
  }
  pasta::detail::tell_index(settings_, "attach", path_, "");
  explain(fmt::format("attached {}, the report goes to {}", settings_.tools, visible(path_)));
  has_begun_ = true;
  // What is registered last is called first, and the vendor's library may have registered its own end by now.
  finish_at_exit();
  crash_watch::start([](char const* signal_name) { one_->finish(signal_name); });
  return "";
}

// In a thread of its own: a driver that was interrupted, or a kernel without end, must not hold the process up.
void process_run::harvest_in_time(char const* why_incomplete) {
  struct progress {
    std::atomic<bool> is_done{false};
  };
  auto const state = std::make_shared<progress>();
  auto const wait = why_incomplete == nullptr ? wait_at_end : wait_in_crash;
  std::thread([this, state] {
    try {
      harvest();
    } catch (std::exception const&) {  // no memory for copies
    }
    state->is_done = true;
  }).detach();
  auto const end = std::chrono::steady_clock::now() + wait;
  while (!state->is_done && std::chrono::steady_clock::now() < end) ::usleep(200);
  if (!state->is_done) {
    add_note(
        fmt::format("Kernels ran on when the program ended, or the driver did not answer: after {} s "
                    "no more was waited for.",
                    wait.count()));
  }
}

void process_run::ask_tools(report_model& model, std::set<std::string>& notes, rows_of_tool const& rows) const {
  for (tool_library const& tool : tools_) {
    ptx::collected const collected = rows(tool.name());
    ptx::tool_exchange answer;
    answer.options = &settings_.tool_options;
    answer.rows = &collected;
    tool.ask(answer);
    for (std::string const& note : answer.notes) notes.insert(note);
    if (!answer.error.empty()) notes.insert(fmt::format("{}: {}", tool.name(), answer.error));
    answer.section.tool = tool.name();
    model.tools.push_back(std::move(answer.section));
  }
}

report_model process_run::make_report(char const* why_incomplete) {
  report_model model;
  model.header = header_;
  fill(model);
  tell_share(model);
  if (settings_.selection.schedule.is_set() && step_count::current() == 0) model.notes.emplace_back(no_step_note);
  model.header.wall_ns = now_ns() - begin_ns_;
  if (why_incomplete != nullptr) {
    model.is_complete = false;
    model.incomplete_reason = fmt::format("killed by {}", why_incomplete);
  }
  return model;
}

void process_run::write_report(char const* why_incomplete) {
  harvest_in_time(why_incomplete);
  write_json_file(make_report(why_incomplete), path_);
  pasta::detail::tell_index(settings_, why_incomplete != nullptr ? "incomplete" : "complete", path_, "");
  if (!settings_.is_quiet) pasta::detail::say(fmt::format("report: {} (to read it: pasta show FILE)", visible(path_)));
}

std::string process_run::why_nothing() {
  std::uint64_t const launches = count_launches();
  return launches == 0 ? "" : fmt::format("none of the kernels in its {} launches has PASTA's counters", launches);
}

void process_run::finish(char const* why_incomplete) noexcept {
  if (owner_ != ::getpid()) return;  // a forked child: what was collected is the parent's to report
  if (is_finishing_.exchange(true)) {
    // A signal that comes while the report is being written waits for it; crash_watch sets the limit.
    while (why_incomplete != nullptr && !is_finished_) ::usleep(1000);
    return;
  }
  crash_watch::signals_held const held;
  try {
    if (has_begun_) {
      write_report(why_incomplete);
    } else if (!is_over_ && settings_.is_route_named && why_incomplete == nullptr) {
      if (std::string const why = why_nothing(); !why.empty()) refuse(why);
    }
  } catch (std::exception const& error) {
    pasta::detail::tell_index(settings_, "failed", path_, error.what());
    if (!settings_.is_quiet) pasta::detail::say(fmt::format("the report failed: {}", error.what()));
  }
  is_over_ = true;
  is_finished_ = true;
}

}  // namespace pasta::collecting
