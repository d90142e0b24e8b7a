// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Bringing what was collected to the host.
#include <fmt/format.h>

#include "collector.hpp"

namespace pasta::ptx {

std::string collector::read(context_state& context, attachment& from) {
  std::vector<std::byte> copy(from.size_bytes());
  if (std::string const error = copy_to_host(context, copy.data(), from.memory, copy.size()); !error.empty())
    return error;
  std::lock_guard const lock(results_mutex_);
  from.copy = std::move(copy);
  return "";
}

void collector::harvest_one(context_state& context, wait how) {
  if (context.is_gone || !context.lost_because.empty()) return;
  context_pushed const pushed(driver_, context.handle);
  if (!pushed) return;
  capture_relaxed const relaxed(driver_);
  std::vector<std::pair<function_record*, std::uint64_t>> launched;
  {
    std::lock_guard const lock(results_mutex_);
    launched.reserve(records_.size());
    for (function_record& each : records_) {
      if (each.context == &context) launched.emplace_back(&each, each.launches.load());
    }
  }
  std::string problem;
  if (how == wait::for_kernels) {
    if (CUresult const result = driver_.cuCtxSynchronize_(); result != CUDA_SUCCESS) problem = driver_.explain(result);
  }
  for (attachment& each : context.attachments) {
    if (problem.empty() && each.memory != 0) problem = read(context, each);
  }
  std::lock_guard const lock(results_mutex_);
  if (!problem.empty()) {
    context.lost_because = problem;
  } else if (how == wait::for_kernels) {
    for (auto const& [record, launches] : launched) record->delivered = launches;
  }
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
