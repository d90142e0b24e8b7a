// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <pasta/session/report_index.hpp>

#include "callbacks.hpp"
#include "cupti.hpp"
#include "make_rows.hpp"

namespace pasta::ptx {

run::run(settings set)
    : process_run(std::move(set), "ptx"), collector_(driver_, wanted(), [this] { return begin(); }) {}

void run::give_up(char const* why) noexcept {
  if (!end()) return;
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
    made->end();
    // Where the route was not asked for, the program may be one of another route's.
    if (made->wanted().is_route_named) return made->refuse(problem);
    if (made->wanted().is_debugging) pasta::detail::say(fmt::format("the ptx route collects nothing: {}", problem));
    return;
  }
  if (made->wanted().is_debugging)
    pasta::detail::say(fmt::format("{} ({}): the ptx route follows the driver", made->program(), made->owner()));
  // Also where nothing is attached, to say so.
  made->finish_at_exit();
}

void run::collect(char const* why_incomplete) {
  std::string const note = run_for_a_while(
      [this] {
        collector_.harvest(collector::wait::for_nothing);  // at least what is there
        collector_.harvest(collector::wait::for_kernels);
      },
      why_incomplete);
  if (!note.empty()) collector_.add_note(note);
}

void run::fill(report_model& report) {
  int version = 0;
  if (driver_.cuDriverGetVersion_(&version) == CUDA_SUCCESS && version > 0)
    report.header.cuda = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  collector_.look([&](auto const& records, auto const& contexts, std::set<std::string> notes) {
    for (context_state const& context : contexts) {
      if (report.header.device.find(context.device_name) == std::string::npos)
        report.header.device += (report.header.device.empty() ? "" : ", ") + context.device_name;
    }
    for (tool_library const& tool : tools()) {
      collected const rows = make_rows(records, contexts, tool.name(), notes);
      report.tools.push_back(tool.report(rows, wanted().tool_options, notes));
    }
    report.notes.assign(notes.begin(), notes.end());
  });
}

std::string run::why_nothing() {
  std::uint64_t launches = 0;
  collector_.look([&](auto const& records, auto const&, auto const&) {
    for (function_record const& each : records) launches += each.plain.launches;
  });
  return launches == 0 ? "" : fmt::format("none of the kernels in its {} launches has PASTA's counters", launches);
}

}  // namespace pasta::ptx
