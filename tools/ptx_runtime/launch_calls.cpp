// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What is done for launches that are kept apart or left out, before and behind the driver's call.
#include <fmt/format.h>

#include <algorithm>
#include <pasta/session/annotated_range.hpp>

#include "collector.hpp"
#include "epochs.hpp"

namespace pasta::ptx {

namespace {

// Of a state with six words.
constexpr std::size_t shared_offset = offsetof(module_state, shared);

struct launch_call_under_way {
  std::vector<launch_under_way> launches;
  context_state* context = nullptr;
  lane* on = nullptr;
  std::string problem;  // why an order was refused
};
thread_local launch_call_under_way under_way;

}  // namespace

std::uint64_t collector::launches_begin(std::span<launched const> what, CUstream stream, launch_unit unit) {
  under_way.launches.clear();
  under_way.context = nullptr;
  under_way.problem.clear();
  if (what.empty()) return next_launch_;
  context_state& context = *what.front().function->context;
  if (!context.is_prepared) {
    std::lock_guard const attach_lock(attach_mutex_);
    capture_relaxed const relaxed(driver_);
    prepare(context);
  }
  std::vector<order> orders;
  std::unique_lock lock(results_mutex_);
  lane& on = context.lanes.of(stream_key(stream));
  under_way.context = &context;
  under_way.on = &on;
  std::uint64_t const first = next_launch_;
  for (launched const& each : what) next_launch_ += each.count;
  // A graph is taken or left as a whole.
  auto const asked = std::find_if(what.begin(), what.end(), [](launched const& e) { return !e.function->is_excluded; });
  bool const is_offered = asked != what.end() && is_offered_now(first);
  bool const is_in = is_offered && asked->function->sampler.takes(wanted_.sampling_rate);
  under_way.launches.reserve(what.size());
  for (launched const& each : what) {
    function_record& function = *each.function;
    bool const is_counted = function.where != nullptr && function.why_not.empty();
    bool const can_choose = context.can_switch || !is_counted;
    bool const is_left_out = function.is_excluded || (!is_in && can_choose);
    bool const is_one = wanted_.per == scope::launch && unit == launch_unit::kernel && is_counted && !is_left_out;
    bool const is_plain = is_counted && !context.can_switch;
    bool const is_sampled = wanted_.sampling_rate < 1 && is_counted && !is_one && !function.is_excluded && is_offered;
    sample_count* const sampled = is_sampled ? &function.sampled[current_range()] : nullptr;
    // Parts are there for the sample's error alone, and a kernel's shadow bits are of its launches that are not apart.
    bool const is_dealt = sampled != nullptr && !is_left_out && !has_shadow_.load(std::memory_order_relaxed);
    if (sampled != nullptr && !is_dealt && !is_left_out) sampled->are_parts_known = false;
    std::uint32_t const part = is_dealt ? sampled->next_part() : 0;
    launch_group& group =
        is_plain ? function.plain : group_of(function, is_one ? std::optional(first) : std::nullopt, part, each.count);
    launch_under_way& made = under_way.launches.emplace_back();
    made.sampled = sampled;
    made.part = part;
    made.function = &function;
    made.group = &group;
    made.count = each.count;
    made.is_left_out = is_left_out;
    if (!is_counted || is_plain) continue;
    start_switching(*function.where, context);
    if (place(made, on, may_ask::yes, orders)) continue;
    lock.unlock();
    make_room(context, *function.where, *made.group);
    lock.lock();
    place(made, on, may_ask::no, orders);
  }
  std::uint32_t const ended = on.launched;
  lock.unlock();
  for (order const& each : orders) write_order(each, on, ended, stream);
  return first;
}

// Before the launch, in its stream.
void collector::write_order(order const& what, lane const& on, std::uint32_t ended, CUstream stream) {
  CUstreamBatchMemOpParams operations[3] = {};
  unsigned count = 0;
  auto const write_64 = [&](CUdeviceptr to, std::uint64_t value) {
    auto& write = operations[count++].writeValue;
    write.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    write.address = to;
    write.value64 = value;
  };
  attachment const& of = *what.of;
  if (on.written_at != 0) {
    auto& write = operations[count++].writeValue;
    write.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    write.address = on.written_at;
    write.value = ended;
  }
  // Where nothing is to be collected `shared` stays: who still runs may have read the address of the shards.
  if (what.bin != nullptr && of.has_shared_word()) write_64(of.state + shared_offset, what.bin->memory);
  write_64(of.state, what.bin == nullptr ? 0 : what.bin->memory + of.shared_bytes);
  capture_relaxed const relaxed(driver_);
  CUresult const result = driver_.cuStreamBatchMemOp_(stream, count, operations, 0);
  if (result == CUDA_SUCCESS) return;
  // It runs as what ran before.
  under_way.problem = driver_.explain(result);
  std::lock_guard const lock(results_mutex_);
  if (what.of->epochs.size() > 1) what.of->epochs.pop_back();
  for (launch_under_way& each : under_way.launches) each.is_refused = each.is_refused || each.at == what.of;
}

void collector::launches_end(outcome how, launch_shape const* shape, CUstream stream) {
  if (under_way.context == nullptr) return;
  context_state& context = *std::exchange(under_way.context, nullptr);
  lane& on = *under_way.on;
  if (how == outcome::launched && !under_way.problem.empty())
    add_note(fmt::format("The driver refused to keep launches apart: {}", under_way.problem));
  std::unique_lock lock(results_mutex_);
  std::uint32_t const number = how == outcome::launched ? ++on.launched : 0;
  for (launch_under_way& each : under_way.launches) {
    if (each.is_refused && number != 0 && !each.is_left_out) {
      each.group = &each.function->plain;
      if (launch_bin* const present = each.at->epochs.back().bin) link(*each.group, *each.function, *present);
    }
    if (each.at != nullptr) {
      each.at->launching = 0;
      epoch& present = each.at->epochs.back();
      if (number != 0) present.last = number;
      if (number != 0 && present.bin != nullptr) present.bin->on = &on, present.bin->last = number;
    }
    if (each.beside != nullptr && number != 0) each.beside->number = number;
    if (each.beside != nullptr && number == 0) forget(*each.function->where, *each.beside);
    if (number == 0) continue;
    launch_group& group = *each.group;
    see_shape(group, shape != nullptr ? *shape : each.function->plain.first);
    group.add_launches(each.count);
    if (each.is_left_out) group.left_out += each.count;
    if (each.sampled == nullptr) continue;
    each.sampled->launches_offered += each.count;
    if (each.is_left_out) continue;
    // One that runs beside others, or found no memory, is counted in another part.
    if (each.part != group.part) each.sampled->are_parts_known = false;
    each.sampled->take(group.part, 0, all_blocks_, each.count);
  }
  bool const is_tracked = number != 0 && context.lanes.are_several() && on.written_at != 0;
  lock.unlock();
  if (!is_tracked) return;
  capture_relaxed const relaxed(driver_);
  static_cast<void>(driver_.cuStreamWriteValue32_(stream, on.written_at, number, 0));
}

void collector::forget(attachment& of, stranger& gone) {
  of.strangers.remove_if([&](stranger& each) {
    if (&each != &gone) return false;
    for (launch_bin* const bin : each.bins) --bin->strangers;
    return true;
  });
}

void collector::see_shape(launch_group& of, launch_shape const& shape) {
  if (!of.is_shape_set.exchange(true)) of.first = shape;
  of.see_shape(shape);
}

void collector::stream_gone(CUstream stream) {
  std::lock_guard const lock(results_mutex_);
  for (context_state& context : contexts_) context.lanes.forget(stream_key(stream));
}

}  // namespace pasta::ptx
