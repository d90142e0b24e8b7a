// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <pasta/session/report_index.hpp>

#include "make_rows.hpp"

namespace pasta::hip_runtime {

run::run(settings set, runtime const& with)
    : collecting::process_run(std::move(set), "llvm", "hip"),
      runtime_(with),
      collector_(with, wanted(), [this] { return begin_collecting(); }) {}

std::string run::begin_collecting() {
  std::string why = begin();
  collector_.want_shadow(why.empty() ? shadow() : ptx::shadow_need());
  return why;
}

run* run::following_memory() {
  if (!is_started_.load(std::memory_order_acquire)) start();
  run* const here = existing();
  return here != nullptr && !here->is_over() ? here : nullptr;
}

run* run::active() {
  run* const here = following_memory();
  // Also where nothing is attached, to say so.
  if (here != nullptr && !is_finished_at_exit_.load(std::memory_order_relaxed) && !is_finished_at_exit_.exchange(true))
    finish_at_exit();
  return here;
}

void run::start() {
  static std::mutex mutex;
  std::lock_guard const lock(mutex);
  if (is_started_) return;
  try {
    settings set = pasta::read_settings("llvm");
    if (!set.tools.empty()) pasta::detail::refuse_block_rate(set.block_rate, "the llvm route on AMD GPUs");
    std::string why_not;
    runtime const* const with = set.tools.empty() ? nullptr : runtime::find(why_not);
    if (with != nullptr) {
      run* const made = new run(std::move(set), *with);
      made->explain("the llvm route follows the HIP runtime");
      one_ = made;
      existing_ = made;
      // What was collected is the parent's to report, and the GPU is not a child's to use.
      ::pthread_atfork(nullptr, nullptr, [] { existing_ = nullptr; });
    } else if (!why_not.empty()) {
      pasta::detail::say(fmt::format("the llvm route collects nothing: {}", why_not));
    }
  } catch (std::exception const& error) {
    pasta::detail::say(fmt::format("the llvm route collects nothing: {}", error.what()));
  }
  is_started_ = true;
}

void run::harvest() {
  collector_.harvest(collector::wait::for_nothing);  // at least what is there
  collector_.harvest(collector::wait::for_kernels);
}

void run::fill(report_model& model) {
  int version = 0;
  if (runtime_.get_version(&version) != hipSuccess) version = 0;
  collector_.look([&](auto const& records, auto const& devices, std::set<std::string> notes) {
    for (device_record const& device : devices) {
      std::string const target = device.target.empty() ? "" : device.target + ", ";
      std::string const text = fmt::format("{} ({}{} compute units)", device.name, target, device.compute_units);
      if (model.header.device.find(text) == std::string::npos)
        model.header.device += (model.header.device.empty() ? "" : ", ") + text;
    }
    if (version > 0)
      model.header.device += fmt::format(", HIP runtime {}.{}", version / 10'000'000, version / 100'000 % 100);
    bits const its = wanted().per == scope::launch ? bits::unkept : bits::kept;
    ask_tools(model, notes, [&](std::string const& tool) {
      return make_rows(records, devices, tool, notes, tool == shadow().tool ? its : bits::none);
    });
    model.notes.assign(notes.begin(), notes.end());
  });
}

std::uint64_t run::count_launches() {
  std::uint64_t launches = 0;
  collector_.look([&](auto const& records, auto const&, auto const&) {
    for (kernel_record const& each : records) {
      launches += each.launches;
      for (auto const& [key, group] : each.groups) launches += group.launches;
    }
  });
  return launches;
}

}  // namespace pasta::hip_runtime
