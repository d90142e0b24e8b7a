// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Keeping launches apart, and leaving some out: before a launch its stream is given an order to write to the module's
// state where kernels are to add to, or that they are not to.
//
// Streams are never made to wait for each other: a program may need them to run at the same time. So one stream at a
// time switches, and others only when nothing of it runs. What is launched in another meanwhile is a stranger: it may
// add to whatever there is until it ends, and is merged with the launches of its kernel that were there.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <pasta/session/annotated_range.hpp>

#include "collector.hpp"
#include "epochs.hpp"

namespace pasta::ptx {

namespace {

constexpr std::uint64_t several_streams = std::uint64_t{1} << 63;
constexpr std::size_t lane_words = 1024;
// As many as the probe route keeps apart; what was read of them takes memory of the host.
constexpr std::uint64_t most_groups = 8192;
constexpr std::size_t most_kept_bytes = std::size_t{256} << 20;

std::uint64_t this_thread() {
  static std::atomic<std::uint64_t> last{0};
  static thread_local std::uint64_t const number = ++last;
  return number;
}

}  // namespace

bool collector::is_any_apart(function_record const& function) const {
  return is_choosy_ || is_stopped_.load(std::memory_order_relaxed) || !current_range().empty() ||
         (function.where != nullptr && function.where->is_switching.load());
}

// Two streams, or one that another thread switches at this moment, are told by is_any_apart.
void collector::see_plain_stream(attachment& of, CUstream stream) {
  std::uint64_t const key = stream_key(stream), known = of.plain_stream.load(std::memory_order_relaxed);
  if (known != key && known != several_streams) of.plain_stream.store(known == 0 ? key : several_streams);
}

// Words that the GPU writes to the host. attach_mutex_ is held.
void collector::prepare(context_state& context) {
  if (context.is_prepared) return;
  int can_write_64_bits = 0;
  static_cast<void>(driver_.cuDeviceGetAttribute_(&can_write_64_bits, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
                                                  context.device));
  context.can_switch = can_write_64_bits != 0;
  if (!context.can_switch) {
    add_note(
        "The GPU's driver has no stream memory operations of 64 bits: launches are neither kept apart nor left out.");
  }
  void* host = nullptr;
  CUdeviceptr device = 0;
  if (context.can_switch && driver_.cuMemHostAlloc_(&host, lane_words * 4, CU_MEMHOSTALLOC_DEVICEMAP) == CUDA_SUCCESS &&
      driver_.cuMemHostGetDevicePointer_(&device, host, 0) == CUDA_SUCCESS) {
    std::fill_n(static_cast<std::uint32_t*>(host), lane_words, 0);
    std::lock_guard const lock(results_mutex_);
    context.lanes.take_words(static_cast<std::uint32_t*>(host), device, lane_words);
  }
  context.is_prepared = true;
}

bool collector::is_offered_now(std::uint64_t number) const {
  return !is_stopped_.load(std::memory_order_relaxed) && wanted_.selection.has_launch(number);
}

launch_group& collector::group_of(function_record& function, std::optional<std::uint64_t> launch, std::uint32_t part,
                                  std::uint64_t count) {
  std::string const& range = current_range();
  std::string const key = part == 0 ? range : fmt::format("{}\x1f{}", range, part);
  if (!launch && key.empty()) return function.plain;
  launch_group** known = launch ? nullptr : &function.of_range[key];
  // One that was merged with others of another range stays so; the next are kept apart again.
  if (known != nullptr && *known != nullptr && (*known)->root().key == key) return (*known)->root();
  if (kept_groups_ >= most_groups || kept_bytes_ >= most_kept_bytes) {
    merged_launches_ += count;
    return function.plain;
  }
  ++kept_groups_;
  launch_group& made = function.apart.emplace_back();
  made.range = range;
  made.part = part;
  made.key = key;
  made.launch = launch;
  if (known != nullptr) *known = &made;
  return made;
}

// A bin for launches of the group, or null if there is no memory for another.
launch_bin* collector::bin_for(attachment& of, launch_group& group, function_record& function) {
  if (!group.launch && group.key.empty()) return &of.bins.front();
  launch_bin** known = group.launch ? nullptr : &of.of_range[group.key];
  if (known != nullptr && *known != nullptr) {
    launch_group const* const inside = (*known)->group_of(&function);
    if (inside == nullptr || &inside->root() == &group.root()) return *known;
  }
  if (of.free.empty()) return nullptr;
  launch_bin& made = of.bins.emplace_back();
  made.memory = of.free.back();
  of.free.pop_back();
  launch_bin* const last = known != nullptr ? std::exchange(*known, &made) : &made;
  if (last != nullptr) last->is_once = true, of.once.push_back(last);  // it does not come again
  return &made;
}

// From here on it is known which launches run. Those before are of one stream, or of nobody knows which.
void collector::start_switching(attachment& of, context_state& context) {
  if (of.is_switching.exchange(true)) return;
  for (function_record& each : records_) {
    if (each.where == &of && each.plain.launches > 0) link(each.plain, each, of.bins.front());
  }
  std::uint64_t const key = of.plain_stream.load();
  if (key == 0) return;
  lane& on = context.lanes.of(key);  // that of several streams has no launches: only waiting for all ends it
  of.epochs.back().on = &on;
  of.epochs.back().last = ++on.launched;
}

// Whether the calling thread's stream may switch: nothing runs in another, or is about to.
bool collector::may_switch(attachment const& of, lane const& on) {
  epoch const& present = of.epochs.back();
  if (of.launching != 0) return of.launching == this_thread();
  return present.on == nullptr || present.on == &on || present.on->has_ended(present.last);
}

void collector::switch_to(attachment& of, launch_bin* bin, lane& on, std::vector<order>& orders) {
  of.epochs.push_back({bin, &on, on.launched + 1, on.launched + 1});
  orders.push_back({&of, bin});
  if (bin == nullptr) return;
  for (stranger& each : of.strangers) {
    if (each.group == nullptr) {
      if (!std::exchange(each.is_stray, true)) ++partial_launches_;
      continue;
    }
    link(*each.group, *each.function, *bin);
    each.bins.push_back(bin);
    ++bin->strangers;
  }
}

// @return false if memory may be found for it first
bool collector::place(launch_under_way& launch, lane& on, may_ask how, std::vector<order>& orders) {
  attachment& in = *launch.function->where;
  settle(in);
  if (!may_switch(in, on)) {
    place_beside(launch, on);
    return true;
  }
  bool const is_open = in.launching != 0;  // by an earlier kernel of the same graph
  launch_bin* const present = in.epochs.back().bin;
  if (launch.is_left_out && present != nullptr && !is_open) {
    if (in.strangers.empty()) {
      switch_to(in, nullptr, on, orders);
    } else if (!launch.function->is_excluded) {
      launch.is_left_out = false;  // what runs beside it is to be counted
      forced_launches_ += launch.count;
    }
  }
  if (!launch.is_left_out) {
    launch_group* const known = present == nullptr ? nullptr : present->group_of(launch.function);
    bool const is_own = known != nullptr && &known->root() == &launch.group->root();
    bool const is_fitting = present != nullptr && (is_own || (known == nullptr && fits(in, *present, *launch.group)));
    launch_bin* bin = present;
    if (!is_fitting && !is_open) {
      bin = bin_for(in, *launch.group, *launch.function);
      if (bin == nullptr && how == may_ask::yes) return false;
      if (bin == nullptr) {
        merged_launches_ += launch.count;
        launch.group = &launch.function->plain;
        bin = &in.bins.front();
      }
    }
    if (bin != nullptr && bin != present) switch_to(in, bin, on, orders);
    if (bin != nullptr) link(*launch.group, *launch.function, *bin);
  }
  if (in.epochs.back().on != &on) {  // all before is over
    epoch const taken{in.epochs.back().bin, &on, on.launched, on.launched};
    in.epochs.clear();
    in.epochs.push_back(taken);
  }
  in.launching = this_thread();
  launch.at = &in;
  return true;
}

// A bin of single launches takes more kernels, one launch of each; those of ranges only launches of the range.
bool collector::fits(attachment& of, launch_bin const& bin, launch_group const& group) {
  if (group.launch) return bin.is_once;
  if (bin.is_once) return false;
  if (group.key.empty()) return &bin == &of.bins.front();
  auto const known = of.of_range.find(group.key);
  return known != of.of_range.end() && known->second == &bin;
}

void collector::place_beside(launch_under_way& launch, lane& on) {
  attachment& in = *launch.function->where;
  if (launch.function->is_excluded) return;  // what it adds is its own, and not reported
  auto const is_nowhere = [](epoch const& each) { return each.bin == nullptr; };
  if (launch.is_left_out && !std::all_of(in.epochs.begin(), in.epochs.end(), is_nowhere)) {
    launch.is_left_out = false;
    forced_launches_ += launch.count;
  }
  stranger& made = in.strangers.emplace_back();
  made.function = launch.function;
  made.on = &on;
  launch.beside = &made;
  if (launch.is_left_out) return;
  made.group = launch.group;
  if (std::any_of(in.epochs.begin(), in.epochs.end(), is_nowhere)) partial_launches_ += launch.count;
  for (epoch const& each : in.epochs) {
    if (each.bin == nullptr || std::count(made.bins.begin(), made.bins.end(), each.bin) != 0) continue;
    link(*launch.group, *launch.function, *each.bin);
    made.bins.push_back(each.bin);
    ++each.bin->strangers;
  }
}

}  // namespace pasta::ptx
