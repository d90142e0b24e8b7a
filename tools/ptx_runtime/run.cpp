// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <pasta/report/json.hpp>
#include <pasta/session/crash_watch.hpp>
#include <pasta/session/pack_name.hpp>
#include <pasta/session/report_index.hpp>
#include <pasta/session/run_header.hpp>
#include <pasta/vendor/host/clock.hpp>
#include <thread>

#include "callbacks.hpp"
#include "cupti.hpp"
#include "make_rows.hpp"

namespace pasta::ptx {

namespace {

// A program that ends while its kernels run for ever is not held up for longer.
constexpr auto wait_at_end = std::chrono::seconds(10), wait_in_crash = std::chrono::seconds(3);

std::uint64_t now_ns() { return get_nanoseconds<vendor::host>{}(); }

}  // namespace

run::run(settings set)
    : settings_(std::move(set)), collector_(driver_, settings_, [this] { return begin(); }), owner_(::getpid()) {
  begin_ns_ = now_ns();
  program_ = pasta::detail::program_name();
  path_ = pasta::detail::absolute(pasta::detail::expand_path(settings_.output, settings_.tools));
  header_ = pasta::detail::make_header(settings_);
  header_.route = "ptx";
  header_.vendor = "cuda";
  header_.compiler = header_.compiler_flags = "";  // those of this library say nothing about the program
}

// Nothing is collected: the program runs as if nobody were here.
void run::refuse(std::string const& why) {
  is_over_ = true;
  std::string const line = fmt::format("{} runs without a tool: {}", program_, why);
  if (!settings_.is_quiet) pasta::detail::say(line);
  pasta::detail::tell_index(settings_, "failed", path_, line);
}

void run::give_up(char const* why) noexcept {
  if (is_over_.exchange(true)) return;
  try {
    collector_.add_note(fmt::format("Nothing was collected from some moment on: {}", why));
  } catch (...) {  // not even memory for a sentence
  }
}

void run::start(settings set) {
  run* const made = new run(std::move(set));
  std::string problem = made->driver_.load();
  if (problem.empty()) {
    one_ = made;
    problem = subscribe(&on_event);
  }
  if (!problem.empty()) {
    made->is_over_ = true;
    // Where the route was not asked for, the program may be one of another route's.
    if (made->settings_.is_route_named) return made->refuse(problem);
    if (made->settings_.is_debugging) pasta::detail::say(fmt::format("the ptx route collects nothing: {}", problem));
    return;
  }
  if (made->settings_.is_debugging)
    pasta::detail::say(fmt::format("{} ({}): the ptx route follows the driver", made->program_, made->owner_));
  // Also where nothing is attached, to say so. A second time at the first attachment: what is registered last is
  // called first, and the driver may have registered its own end by then.
  std::atexit([] { one_->finish(nullptr); });
}

// The first instrumented module is about to be attached.
std::string run::begin() {
  try {
    for (std::string const& name : split_names(settings_.tools, "+,")) {
      tool_library tool(name);
      tool_exchange options;
      std::vector<std::pair<std::string, std::string>> own;
      for (auto const& [option, value] : settings_.tool_options) {
        // "coalescing.sector-bytes" is one tool's; without a name an option is for all tools that have it.
        std::size_t const dot = option.find('.');
        if (dot == std::string::npos || option.substr(0, dot) == name) own.emplace_back(option, value);
      }
      options.options = &own;
      tool.ask(options);
      if (!options.error.empty()) throw table_error(options.error);
      tools_.push_back(std::move(tool));
    }
  } catch (std::exception const& error) {
    refuse(error.what());
    return error.what();
  }
  pasta::detail::tell_index(settings_, "attach", path_, "");
  if (settings_.is_debugging) {
    pasta::detail::say(
        fmt::format("{} ({}): attached {}, the report goes to {}", program_, owner_, settings_.tools, visible(path_)));
  }
  has_begun_ = true;
  std::atexit([] { one_->finish(nullptr); });
  crash_watch::start([](char const* signal_name) { one_->finish(signal_name); });
  return "";
}

// In a thread of its own: a driver that was interrupted, or a kernel without end, must not hold the process up.
void run::harvest(char const* why_incomplete) {
  struct progress {
    std::atomic<bool> is_done{false};
  };
  auto const state = std::make_shared<progress>();
  auto const wait = why_incomplete == nullptr ? wait_at_end : wait_in_crash;
  std::thread([this, state] {
    try {
      collector_.harvest(collector::wait::for_nothing);  // at least what is there
      collector_.harvest(collector::wait::for_kernels);
    } catch (std::exception const&) {  // no memory for copies
    }
    state->is_done = true;
  }).detach();
  auto const end = std::chrono::steady_clock::now() + wait;
  while (!state->is_done && std::chrono::steady_clock::now() < end) ::usleep(200);
  if (!state->is_done) {
    collector_.add_note(
        fmt::format("Kernels ran on when the program ended, or the driver did not answer: after {} s "
                    "no more was waited for.",
                    wait.count()));
  }
}

void run::fill_device(report_header& header) const {
  int version = 0;
  if (driver_.cuDriverGetVersion_(&version) == CUDA_SUCCESS && version > 0)
    header.cuda = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

report_model run::make_report(char const* why_incomplete) {
  report_model model;
  model.header = header_;
  fill_device(model.header);
  collector_.look([&](auto const& records, auto const& contexts, std::set<std::string> notes) {
    for (context_state const& context : contexts) {
      if (model.header.device.find(context.device_name) == std::string::npos)
        model.header.device += (model.header.device.empty() ? "" : ", ") + context.device_name;
    }
    for (tool_library const& tool : tools_) {
      collected const rows = make_rows(records, contexts, tool.name(), notes);
      tool_exchange answer;
      answer.options = &settings_.tool_options;
      answer.rows = &rows;
      tool.ask(answer);
      for (std::string const& note : answer.notes) notes.insert(note);
      if (!answer.error.empty()) notes.insert(fmt::format("{}: {}", tool.name(), answer.error));
      answer.section.tool = tool.name();
      model.tools.push_back(std::move(answer.section));
    }
    model.notes.assign(notes.begin(), notes.end());
  });
  model.header.wall_ns = now_ns() - begin_ns_;
  if (why_incomplete != nullptr) {
    model.is_complete = false;
    model.incomplete_reason = fmt::format("killed by {}", why_incomplete);
  }
  return model;
}

void run::write_report(char const* why_incomplete) {
  harvest(why_incomplete);
  write_json_file(make_report(why_incomplete), path_);
  pasta::detail::tell_index(settings_, why_incomplete != nullptr ? "incomplete" : "complete", path_, "");
  if (!settings_.is_quiet) pasta::detail::say(fmt::format("report: {} (to read it: pasta show FILE)", visible(path_)));
}

void run::finish(char const* why_incomplete) noexcept {
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
      std::uint64_t launches = 0;
      collector_.look([&](auto const& records, auto const&, auto const&) {
        for (function_record const& each : records) launches += each.plain.launches;
      });
      if (launches > 0) refuse(fmt::format("none of the kernels in its {} launches has PASTA's counters", launches));
    }
  } catch (std::exception const& error) {
    pasta::detail::tell_index(settings_, "failed", path_, error.what());
    if (!settings_.is_quiet) pasta::detail::say(fmt::format("the report failed: {}", error.what()));
  }
  is_over_ = true;
  is_finished_ = true;
}

}  // namespace pasta::ptx
