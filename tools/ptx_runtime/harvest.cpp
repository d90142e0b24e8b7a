// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Bringing what was collected to the host.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "collector.hpp"

namespace pasta::ptx {

// The sets of single launches that have ended are used again.
std::string collector::read(context_state& context, attachment& from) {
  std::vector<launch_bin*> ended;
  {
    std::lock_guard const lock(results_mutex_);
    ended = ended_bins(from);
  }
  std::vector<std::vector<std::byte>> copies;
  copies.reserve(from.slabs.size());
  for (attachment::slab const& slab : from.slabs) {
    std::vector<std::byte>& copy = copies.emplace_back(slab.sets * from.set_bytes());
    if (std::string error = copy_to_host(context, copy.data(), slab.memory, copy.size()); !error.empty()) return error;
  }
  if (!ended.empty()) {
    CUresult result = CUDA_SUCCESS;
    for (launch_bin const* each : ended) {
      result = driver_.cuMemsetD8Async_(each->memory, 0, from.set_bytes(), context.stream);
      if (result != CUDA_SUCCESS) break;
    }
    if (result == CUDA_SUCCESS) result = driver_.cuStreamSynchronize_(context.stream);
    if (result != CUDA_SUCCESS) return driver_.explain(result);
  }
  std::lock_guard const lock(results_mutex_);
  for (launch_bin& bin : from.bins) {
    for (std::size_t i = 0; i < copies.size() && bin.memory != 0; ++i) {
      attachment::slab const& slab = from.slabs[i];
      if (bin.memory < slab.memory || bin.memory >= slab.memory + slab.sets * from.set_bytes()) continue;
      if (&bin == &from.bins.front()) blank_shadow_words(from, copies[i].data() + (bin.memory - slab.memory));
      bin.keep(from, copies[i].data() + (bin.memory - slab.memory));
      break;
    }
  }
  for (launch_bin* const each : ended) {
    from.free.push_back(std::exchange(each->memory, 0));
    kept_bytes_ += each->copy.size();
    for (auto const& [function, group] : each->groups) {
      if (group != nullptr) group->delivered = std::max(group->delivered, group->launches - group->left_out);
    }
  }
  std::erase_if(from.once, [](launch_bin const* each) { return each->memory == 0; });
  return "";
}

std::string collector::read_all(context_state& context) {
  for (attachment& each : context.attachments) {
    if (each.is_gone) continue;
    if (std::string problem = read(context, each); !problem.empty()) return problem;
  }
  return "";
}

collector::launch_counts collector::launched_in(context_state& context, counted what) {
  launch_counts counts;
  std::lock_guard const lock(results_mutex_);
  for (lane& each : context.lanes.all()) counts.lanes.emplace_back(&each, each.launched);
  if (what == counted::streams) return counts;
  counts.groups.reserve(records_.size());
  auto const add = [&](launch_group& group) {
    counts.groups.emplace_back(&group, group.launches.load() - group.left_out);
  };
  for (function_record& each : records_) {
    if (each.context != &context) continue;
    add(each.plain);
    for (launch_group& group : each.apart) add(group);
  }
  return counts;
}

void collector::conclude(context_state& context, std::string const& problem, launch_counts const& delivered) {
  std::lock_guard const lock(results_mutex_);
  if (!problem.empty()) {
    context.lost_because = problem;
    return;
  }
  for (auto const& [group, launches] : delivered.groups) group->delivered = std::max(group->delivered, launches);
}

void collector::have_ended(launch_counts const& before) {
  std::lock_guard const lock(results_mutex_);
  for (auto const& [on, number] : before.lanes) {
    if (!on->has_ended(number)) on->ended = number;
  }
}

void collector::harvest_one(context_state& context, wait how) {
  if (context.is_gone || !context.lost_because.empty()) return;
  context_pushed const pushed(driver_, context.handle);
  if (!pushed) return;
  capture_relaxed const relaxed(driver_);
  launch_counts const before = how == wait::for_kernels ? launched_in(context, counted::all) : launch_counts();
  std::string problem;
  if (how == wait::for_kernels) {
    if (CUresult const result = driver_.cuCtxSynchronize_(); result != CUDA_SUCCESS) problem = driver_.explain(result);
    if (problem.empty()) have_ended(before);
  }
  if (problem.empty()) problem = read_all(context);
  for (attachment& each : context.attachments) {
    if (problem.empty() && !each.is_gone) read_shadow(context, each, reading::for_now);
  }
  conclude(context, problem, before);
}

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

// What the calling thread's wait for a whole context will have seen the end of.
collector::launch_counts& collector::launched_before_wait() {
  static thread_local launch_counts counts;
  return counts;
}

void collector::wait_begins(std::uint32_t context_uid, waited what) {
  launched_before_wait() = {};
  if (what == waited::for_stream) return;  // its end says nothing of the other streams' launches
  context_state* const context = find_context(context_uid);
  if (context == nullptr) return;
  launched_before_wait() = launched_in(*context, is_due(*context) ? counted::all : counted::streams);
}

void collector::wait_ended(std::uint32_t context_uid) {
  context_state* const context = find_context(context_uid);
  have_ended(launched_before_wait());
  std::unique_lock const lock(attach_mutex_, std::try_to_lock);
  if (context == nullptr || !lock || context->is_gone || !context->lost_because.empty() || !is_due(*context)) return;
  auto const begin = std::chrono::steady_clock::now();
  capture_relaxed const relaxed(driver_);
  conclude(*context, read_all(*context), launched_before_wait());
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
      if (each.module != module || each.is_gone) continue;
      if (std::string const error = read(context, each); !error.empty()) {
        context.lost_because = error;
        return;
      }
      read_shadow(context, each, reading::last);
      for (auto const& [function, kernel] : each.shadows) context.shadow->retire(*kernel);
      each.is_gone = true;
      for (attachment::slab const& slab : each.slabs) {
        static_cast<void>(driver_.cuMemFree_(slab.memory));
        context.left_bytes += slab.sets * each.set_bytes();
      }
      std::lock_guard const results_lock(results_mutex_);
      auto const deliver = [](launch_group& group) { group.delivered = group.launches - group.left_out; };
      for (function_record& record : records_) {
        if (record.where != &each) continue;
        deliver(record.plain);
        std::for_each(record.apart.begin(), record.apart.end(), deliver);
      }
    }
  }
}

}  // namespace pasta::ptx
