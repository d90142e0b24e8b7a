// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <fmt/format.h>

#include <pasta/session/report_index.hpp>

#include "callbacks.hpp"
#include "cupti.hpp"
#include "make_rows.hpp"
#include "patch_guest.hpp"

namespace pasta::ptx {

run::run(settings set)
    : collecting::process_run(std::move(set), "ptx", "cuda"),
      collector_(driver_, wanted(), [this] { return begin_once(); }) {}

// The guest may be the first to find something to collect. Nothing else is locked meanwhile.
std::string run::begin_once() {
  std::lock_guard const lock(begin_mutex_);
  if (begin_result_) return *begin_result_;
  begin_result_ = begin();
  if (begin_result_->empty()) need_ = shadow();
  if (guest() != nullptr) need_.request.limit_bytes /= 2;  // each of the two has half
  collector_.want_shadow(need_);
  return *begin_result_;
}

// What was annotated before holds for the guest too.
void run::start_guest() {
  if (wanted().block_rate < 1) {
    why_alone_ = "--sample-blocks is for one route at a time, and launches of the ptx route were analysed whole";
    return;
  }
  collecting::guest* const made = start_patch_guest(*this, why_alone_);
  if (made == nullptr) return explain(fmt::format("the patch route collects nothing: {}", why_alone_));
  for (std::uint64_t step = 0; step < step_count::current(); ++step) made->end_step();
  if (collector::is_stopped()) made->stop();
  guest_.store(made, std::memory_order_release);
  explain("the patch route follows the Compute Sanitizer");
}

void run::start(settings set) {
  run* const made = new run(std::move(set));
  std::string problem = made->driver_.load();
  if (problem.empty()) {
    one_ = existing_ = made;
    // Only where it was asked for: the vendor's library costs each program that it is in.
    if (made->wanted().is_auto) made->start_guest();
    problem = made->why_deaf_ = subscribe(&on_event);
  }
  if (!problem.empty() && guest() == nullptr) {
    made->end();
    // Where the route was not asked for, the program may be one of another route's.
    if (made->wanted().is_route_named) return made->refuse(problem);
    if (made->wanted().is_debugging) pasta::detail::say(fmt::format("the ptx route collects nothing: {}", problem));
    return;
  }
  if (problem.empty()) made->explain("the ptx route follows the driver");
  finish_at_exit();  // also where nothing is attached, to say so
}

void run::harvest() {
  collector_.harvest(collector::wait::for_nothing);  // at least what is there
  collector_.harvest(collector::wait::for_kernels);
  if (guest() != nullptr) guest()->harvest();
}

void run::tell_why_alone(std::set<std::string>& notes, std::uint64_t plain_launches) const {
  if (!why_deaf_.empty()) notes.insert(fmt::format("The ptx route collected nothing: {}.", why_deaf_));
  if (why_alone_.empty() || plain_launches == 0) return;
  notes.insert(fmt::format(
      "The route auto has patches for kernels that were built without PASTA, and had none here: {}.", why_alone_));
}

void run::fill(report_model& model) {
  int version = 0;
  if (driver_.cuDriverGetVersion_(&version) == CUDA_SUCCESS && version > 0)
    model.header.cuda = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  auto const fill_from_both = [&](collecting::guest_results const& beside) {
    collector_.look([&](auto const& records, auto const& contexts, std::set<std::string> notes) {
      model.header.device = beside.devices;
      for (context_state const& context : contexts) {
        if (model.header.device.find(context.device_name) == std::string::npos)
          model.header.device += (model.header.device.empty() ? "" : ", ") + context.device_name;
      }
      notes.insert(beside.notes.begin(), beside.notes.end());
      tell_why_alone(notes, count_plain_launches(records));
      if (guest() != nullptr && need_.request.limit_bytes > 0)
        notes.insert(fmt::format("The routes ptx and patch have half of {}'s shadow memory each.", need_.tool));
      ask_tools(model, notes, [&](std::string const& tool) {
        collected rows = make_rows(records, contexts, tool, ptx::count_launches(beside.rows), notes);
        if (guest() != nullptr) add_guest_rows(beside.rows, rows);
        return rows;
      });
      model.notes.assign(notes.begin(), notes.end());
    });
  };
  if (guest() == nullptr) return fill_from_both({});
  model.header.route = "auto";
  guest()->look([&](collecting::guest_results const& results) { fill_from_both(results); });
}

std::uint64_t run::count_launches() {
  std::uint64_t launches = 0;
  collector_.look([&](auto const& records, auto const&, auto const&) {
    for (function_record const& each : records) launches += each.plain.launches;
  });
  return launches;
}

}  // namespace pasta::ptx
