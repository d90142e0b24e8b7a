// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <pasta/session/report_index.hpp>

#include "find_patches.hpp"
#include "rows.hpp"

namespace pasta::patch {

run::run(settings set)
    : collecting::process_run(std::move(set), "patch", "cuda"),
      collector_(sanitizer_, driver_, wanted(), [this] { return find_patches(); }) {}

bool run::is_following() const { return !is_over() && owner() == ::getpid(); }

void run::start(settings set) {
  run* const made = new run(std::move(set));
  std::string problem = made->driver_.load();
  if (problem.empty()) problem = made->sanitizer_.load();
  if (problem.empty()) {
    one_ = existing_ = made;
    problem = made->sanitizer_.subscribe(&on_event, static_cast<event_target*>(made));
  }
  if (!problem.empty()) {
    // Where the route was not asked for, the program may be one of another route's.
    if (made->wanted().is_route_named) return made->refuse(problem);
    made->end();
    if (made->wanted().is_debugging) pasta::detail::say(fmt::format("the patch route collects nothing: {}", problem));
    return;
  }
  made->explain("the patch route follows the Compute Sanitizer");
  finish_at_exit();  // also where nothing is patched, to say so
}

collector::patches run::find_patches() {
  collector::patches found;
  found.why_not = begin();
  if (!found.why_not.empty()) return found;
  if (tools().size() > 1) {
    found.why_not = "the patch route runs one tool at a time";
    return found;
  }
  found = patch::find_patches(tools().front());
  found.shadow = shadow();
  return found;
}

void run::fill(report_model& report) {
  int version = 0;
  if (driver_.cuDriverGetVersion_(&version) == CUDA_SUCCESS && version > 0)
    report.header.cuda = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  collector_.look([&](auto const& records, auto& contexts, std::set<std::string> notes) {
    for (context_record const& context : contexts) {
      char name[256] = "";
      bool const is_named =
          context.memory.exists() && driver_.cuDeviceGetName_(name, sizeof name, context.device) == CUDA_SUCCESS;
      if (is_named && report.header.device.find(name) == std::string::npos)
        report.header.device += (report.header.device.empty() ? "" : ", ") + std::string(name);
    }
    ask_tools(report, notes, [&](std::string const&) { return make_rows(records, contexts, wanted(), notes); });
    report.notes.assign(notes.begin(), notes.end());
  });
}

std::uint64_t run::count_launches() {
  std::uint64_t launches = 0;
  collector_.look([&](auto const& records, auto const&, auto const&) {
    for (kernel_record const& record : records) {
      for (launch_group const& group : record.groups) launches += group.launches;
    }
  });
  return launches;
}

std::string run::why_nothing() {
  std::uint64_t const launches = count_launches();
  return launches == 0 ? "" : fmt::format("none of its {} launches was chosen", launches);
}

}  // namespace pasta::patch
