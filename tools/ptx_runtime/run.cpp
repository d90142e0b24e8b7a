// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <pasta/session/report_index.hpp>

#include "callbacks.hpp"
#include "cupti.hpp"
#include "make_rows.hpp"

namespace pasta::ptx {

run::run(settings set)
    : collecting::process_run(std::move(set), "ptx", "cuda"),
      collector_(driver_, wanted(), [this] { return begin_collecting(); }) {}

std::string run::begin_collecting() {
  std::string why = begin();
  collector_.want_shadow(why.empty() ? shadow() : shadow_need());
  return why;
}

void run::start(settings set) {
  run* const made = new run(std::move(set));
  std::string problem = made->driver_.load();
  if (problem.empty()) {
    one_ = existing_ = made;
    problem = subscribe(&on_event);
  }
  if (!problem.empty()) {
    made->end();
    // Where the route was not asked for, the program may be one of another route's.
    if (made->wanted().is_route_named) return made->refuse(problem);
    if (made->wanted().is_debugging) pasta::detail::say(fmt::format("the ptx route collects nothing: {}", problem));
    return;
  }
  made->explain("the ptx route follows the driver");
  finish_at_exit();  // also where nothing is attached, to say so
}

void run::harvest() {
  collector_.harvest(collector::wait::for_nothing);  // at least what is there
  collector_.harvest(collector::wait::for_kernels);
}

void run::fill(report_model& model) {
  int version = 0;
  if (driver_.cuDriverGetVersion_(&version) == CUDA_SUCCESS && version > 0)
    model.header.cuda = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  collector_.look([&](auto const& records, auto const& contexts, std::set<std::string> notes) {
    for (context_state const& context : contexts) {
      if (model.header.device.find(context.device_name) == std::string::npos)
        model.header.device += (model.header.device.empty() ? "" : ", ") + context.device_name;
    }
    ask_tools(model, notes, [&](std::string const& tool) { return make_rows(records, contexts, tool, notes); });
    model.notes.assign(notes.begin(), notes.end());
  });
}

std::uint64_t run::count_launches() {
  std::uint64_t launches = 0;
  collector_.look([&](auto const& records, auto const&, auto const&) {
    for (function_record const& each : records) launches += each.plain.launches;
  });
  return launches;
}

}  // namespace pasta::ptx
