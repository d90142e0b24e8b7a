// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Bringing what was collected to the host.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "collector.hpp"

namespace pasta::ptx {

std::string collector::read(context_state& context, attachment& from) {
  std::vector<std::byte> copy(from.size_bytes());
  if (std::string error = copy_to_host(context, copy.data(), from.memory, copy.size()); !error.empty()) return error;
  std::lock_guard const lock(results_mutex_);
  from.copy = std::move(copy);
  return "";
}

std::string collector::read_all(context_state& context) {
  for (attachment& each : context.attachments) {
    if (each.memory == 0) continue;
    if (std::string problem = read(context, each); !problem.empty()) return problem;
  }
  return "";
}

collector::launch_counts collector::launched_in(context_state const& context) {
  launch_counts counts;
  std::lock_guard const lock(results_mutex_);
  counts.reserve(records_.size());
  for (function_record& each : records_) {
    if (each.context == &context) counts.emplace_back(&each, each.launches.load());
  }
  return counts;
}

void collector::conclude(context_state& context, std::string const& problem, launch_counts const& delivered) {
  std::lock_guard const lock(results_mutex_);
  if (!problem.empty()) {
    context.lost_because = problem;
    return;
  }
  for (auto const& [record, launches] : delivered) record->delivered = std::max(record->delivered, launches);
}

void collector::harvest_one(context_state& context, wait how) {
  if (context.is_gone || !context.lost_because.empty()) return;
  context_pushed const pushed(driver_, context.handle);
  if (!pushed) return;
  capture_relaxed const relaxed(driver_);
  launch_counts const launched = how == wait::for_kernels ? launched_in(context) : launch_counts();
  std::string problem;
  if (how == wait::for_kernels) {
    if (CUresult const result = driver_.cuCtxSynchronize_(); result != CUDA_SUCCESS) problem = driver_.explain(result);
  }
  if (problem.empty()) problem = read_all(context);
  conclude(context, problem, launched);
}

namespace {
// What the calling thread's wait for a whole context will have seen the end of.
thread_local std::vector<std::pair<function_record*, std::uint64_t>> launched_before_wait;
}  // namespace

// At most a fiftieth of the time goes into reading.
bool collector::is_due(context_state const& context) const {
  return std::chrono::steady_clock::now().time_since_epoch().count() >= context.next_read.load();
}

context_state* collector::find_context(std::uint32_t uid) {
  std::lock_guard const lock(results_mutex_);
  for (context_state& known : contexts_) {
    if (known.uid == uid) return &known;
  }
  return nullptr;
}

void collector::wait_begins(std::uint32_t context_uid, waited what) {
  launched_before_wait.clear();
  if (what == waited::for_stream) return;  // its end says nothing of the other streams' launches
  context_state* const context = find_context(context_uid);
  if (context != nullptr && is_due(*context)) launched_before_wait = launched_in(*context);
}

void collector::wait_ended(std::uint32_t context_uid) {
  context_state* const context = find_context(context_uid);
  std::unique_lock const lock(attach_mutex_, std::try_to_lock);
  if (context == nullptr || !lock || context->is_gone || !context->lost_because.empty() || !is_due(*context)) return;
  auto const begin = std::chrono::steady_clock::now();
  capture_relaxed const relaxed(driver_);
  conclude(*context, read_all(*context), launched_before_wait);
  auto const end = std::chrono::steady_clock::now();
  context->next_read = (end + std::max<std::chrono::nanoseconds>(50 * (end - begin), std::chrono::milliseconds(100)))
                           .time_since_epoch()
                           .count();
}

void collector::harvest(wait how, std::function<bool(context_state const&)> const& which) {
  std::lock_guard const lock(attach_mutex_);
  for (context_state& context : contexts_) {
    if (!which || which(context)) harvest_one(context, how);
  }
}

void collector::context_gone(CUcontext context) {
  // Called from within the driver: contexts_ grows under another lock, but what is in it stays where it is.
  std::lock_guard const lock(results_mutex_);
  for (context_state& known : contexts_) {
    if (known.handle == context) known.is_gone = true;
  }
}

void collector::module_gone(CUmodule module, std::uint32_t context_uid) {
  std::lock_guard const lock(attach_mutex_);
  for (context_state& context : contexts_) {
    if (context.uid != context_uid || context.is_gone || !context.lost_because.empty()) continue;
    capture_relaxed const relaxed(driver_);
    for (attachment& each : context.attachments) {
      if (each.module != module || each.memory == 0) continue;
      if (std::string const error = read(context, each); !error.empty()) {
        context.lost_because = error;
        return;
      }
      static_cast<void>(driver_.cuMemFree_(std::exchange(each.memory, 0)));
      context.left_bytes += each.size_bytes();
      std::lock_guard const results_lock(results_mutex_);
      for (function_record& record : records_) {
        if (record.where == &each) record.delivered = record.launches;
      }
    }
  }
}

}  // namespace pasta::ptx
