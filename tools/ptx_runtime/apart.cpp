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

namespace pasta::ptx {

namespace {

// Of a state with six words.
constexpr std::size_t shared_offset = offsetof(module_state, shared);
constexpr std::uint64_t several_streams = std::uint64_t{1} << 63;
constexpr std::size_t lane_words = 1024;
// As many as the probe route keeps apart; what was read of them takes memory of the host.
constexpr std::uint64_t most_groups = 8192;
constexpr std::size_t most_kept_bytes = std::size_t{256} << 20;

struct launch_call_under_way {
  std::vector<launch_under_way> launches;
  context_state* context = nullptr;
  lane* on = nullptr;
  std::string problem;  // why an order was refused
};
thread_local launch_call_under_way under_way;

std::uint64_t this_thread() {
  static std::atomic<std::uint64_t> last{0};
  static thread_local std::uint64_t const number = ++last;
  return number;
}

// What is over: switches that happened, and strangers that ended.
void settle(attachment& of) {
  while (of.epochs.size() > 1 && of.epochs[1].on->has_ended(of.epochs[1].begin)) of.epochs.pop_front();
  of.strangers.remove_if([](stranger& each) {
    if (each.number == 0 || !each.on->has_ended(each.number)) return false;
    for (launch_bin* const bin : each.bins) --bin->strangers;
    return true;
  });
}

// They are one from here on.
launch_group& unite(launch_group& a, launch_group& b) {
  if (&a == &b) return a;
  b.merged_into = &a;
  if (a.range != b.range) a.range.clear();
  a.launch.reset();
  return a;
}

void link(launch_group& group, function_record& function, launch_bin& to) {
  launch_group& own = group.root();
  launch_group*& known = to.group_of(&function);
  if (known != nullptr && &known->root() == &own) return;
  if (known != nullptr) {
    unite(own, known->root());
  } else {
    known = &own;
  }
  group.bins.push_back(&to);
}

bool is_releasable(attachment const& of, launch_bin const& bin) {
  bool const is_present =
      std::any_of(of.epochs.begin(), of.epochs.end(), [&](epoch const& each) { return each.bin == &bin; });
  return bin.is_once && bin.memory != 0 && bin.strangers == 0 && !is_present &&
         (bin.on == nullptr || bin.on->has_ended(bin.last));
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

bool collector::is_chosen(function_record& function, std::uint64_t number) {
  if (is_stopped_.load(std::memory_order_relaxed) || !wanted_.selection.launches.has(number)) return false;
  // As on the probe route: the share never exceeds the rate by a whole launch, and a kernel's first is always in.
  ++function.offered;
  bool const is_in =
      static_cast<double>(function.chosen) < wanted_.sampling_rate * static_cast<double>(function.offered);
  if (is_in) ++function.chosen;
  return is_in;
}

launch_group& collector::group_of(function_record& function, std::optional<std::uint64_t> launch, std::uint64_t count) {
  std::string const& range = current_range();
  if (!launch && range.empty()) return function.plain;
  launch_group** known = launch ? nullptr : &function.of_range[range];
  // One that was merged with others of another range stays so; the next are kept apart again.
  if (known != nullptr && *known != nullptr && (*known)->root().range == range) return (*known)->root();
  if (kept_groups_ >= most_groups || kept_bytes_ >= most_kept_bytes) {
    merged_launches_ += count;
    return function.plain;
  }
  ++kept_groups_;
  launch_group& made = function.apart.emplace_back();
  made.range = range;
  made.launch = launch;
  if (known != nullptr) *known = &made;
  return made;
}

// A bin for launches of the group, or null if there is no memory for another.
launch_bin* collector::bin_for(attachment& of, launch_group& group, function_record& function) {
  if (!group.launch && group.range.empty()) return &of.bins.front();
  launch_bin** known = group.launch ? nullptr : &of.of_range[group.range];
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
  if (group.range.empty()) return &bin == &of.bins.front();
  auto const known = of.of_range.find(group.range);
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

void collector::launches_begin(std::span<launched const> what, CUstream stream, launch_unit unit) {
  under_way.launches.clear();
  under_way.context = nullptr;
  under_way.problem.clear();
  if (what.empty()) return;
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
  bool const is_in = asked != what.end() && is_chosen(*asked->function, first);
  under_way.launches.reserve(what.size());
  for (launched const& each : what) {
    function_record& function = *each.function;
    bool const is_counted = function.where != nullptr && function.why_not.empty();
    bool const can_choose = context.can_switch || !is_counted;
    bool const is_left_out = function.is_excluded || (!is_in && can_choose);
    bool const is_one = wanted_.per == scope::launch && unit == launch_unit::kernel && is_counted && !is_left_out;
    bool const is_plain = is_counted && !context.can_switch;
    launch_group& group =
        is_plain ? function.plain : group_of(function, is_one ? std::optional(first) : std::nullopt, each.count);
    launch_under_way& made = under_way.launches.emplace_back();
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

void collector::add_launch_notes(std::set<std::string>& notes) const {
  auto const tell = [&](std::uint64_t count, char const* what) {
    if (count > 0) notes.insert(fmt::format("{} launch{} {}", count, count == 1 ? "" : "es", what));
  };
  tell(merged_launches_,
       "merged by kernel: there was no memory to keep more launches or ranges apart (at most 8192 of them).");
  tell(forced_launches_,
       "that would have been left out ran beside others of the module in another stream: analysed too.");
  tell(partial_launches_,
       "ran in another stream while collecting was switched on or off in their module: they may be counted in part.");
}

// ---- Memory

// More memory for launches that are kept apart: what was read is used again, or the GPU gives some.
void collector::make_room(context_state& context, attachment& of, launch_group const& group) {
  if (group.launch) {
    // Only where it pays: reading takes as long as some dozens of launches.
    std::lock_guard const lock(results_mutex_);
    if (of.once.empty() || !is_releasable(of, *of.once[of.once.size() / 2])) return;
  }
  std::unique_lock const attach_lock(attach_mutex_, std::try_to_lock);
  if (!attach_lock) return;
  capture_relaxed const relaxed(driver_);
  if (group.launch) return static_cast<void>(read(context, of));
  std::size_t const bytes = of.set_bytes();
  std::size_t const sets = std::clamp<std::size_t>(context.left_bytes / 8 / bytes, 1, 8);
  if (sets * bytes <= context.left_bytes) static_cast<void>(grow(context, of, sets));
}

// @return an error of the driver
CUresult collector::grow(context_state& context, attachment& of, std::size_t sets) {
  CUdeviceptr memory = 0;
  std::size_t const bytes = of.set_bytes() * sets;
  CUresult result = driver_.cuMemAlloc_(&memory, bytes);
  if (result != CUDA_SUCCESS) return result;
  if (context.stream == nullptr) result = driver_.cuStreamCreate_(&context.stream, CU_STREAM_NON_BLOCKING);
  if (result == CUDA_SUCCESS) result = driver_.cuMemsetD8Async_(memory, 0, bytes, context.stream);
  if (result == CUDA_SUCCESS) result = driver_.cuStreamSynchronize_(context.stream);
  if (result != CUDA_SUCCESS) {
    static_cast<void>(driver_.cuMemFree_(memory));
    return result;
  }
  context.left_bytes -= bytes;
  std::lock_guard const lock(results_mutex_);
  of.slabs.push_back({memory, sets});
  for (std::size_t i = sets; i > 0; --i) of.free.push_back(memory + (i - 1) * of.set_bytes());
  return CUDA_SUCCESS;
}

// Of single launches, and nothing adds to them any more.
std::vector<launch_bin*> collector::ended_bins(attachment& of) {
  settle(of);
  std::vector<launch_bin*> found;
  std::copy_if(of.once.begin(), of.once.end(), std::back_inserter(found),
               [&](launch_bin const* each) { return is_releasable(of, *each); });
  return found;
}

}  // namespace pasta::ptx
