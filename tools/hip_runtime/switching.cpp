// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Keeping launches apart by range, and leaving some out: before a launch its stream is given a copy to the code's
// state, which says where kernels are to add to, or that they are not to.
//
// Streams are never made to wait for each other: a program may need them to run at the same time. A stream switches
// only where no launch of another stream may still run in the code; else its launch is counted where the others are,
// or not at all where nothing is collected, and notes say how many those were.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <pasta/session/annotated_range.hpp>

#include "collector.hpp"

namespace pasta::hip_runtime {

using ptx::module_state;

namespace {

// The key of streams whose launches were not followed.
auto* const unfollowed = reinterpret_cast<hipStream_t>(several_streams);

}  // namespace

bool collector::is_any_apart(kernel_record const& kernel) const {
  return is_choosy_ || is_stopped_.load(std::memory_order_relaxed) || !current_range().empty() ||
         (kernel.where != nullptr && kernel.where->is_switching);
}

bool collector::is_offered_now(std::uint64_t number) const {
  return !is_stopped_.load(std::memory_order_relaxed) && wanted_.selection.has_launch(number);
}

// Whether all launches of other streams have ended.
bool collector::may_switch(attachment& in, hipStream_t stream) const {
  for (auto& [other, mark] : in.streams) {
    if (other == stream || !mark.is_open) continue;
    if (mark.last == nullptr || runtime_.ask_event(mark.last) != hipSuccess) {
      static_cast<void>(runtime_.get_last_error());  // "not ready" is nothing for the program
      return false;
    }
    mark.is_open = false;
  }
  return true;
}

// What streams copy from lies where the GPU can read it whenever it comes to it.
bool collector::make_images(attachment& in) const {
  if (in.images != nullptr) return true;
  void* memory = nullptr;
  if (runtime_.allocate_on_host == nullptr ||
      runtime_.allocate_on_host(&memory, 2 * sizeof(module_state), 0) != hipSuccess)
    return false;
  auto* const images = static_cast<module_state*>(memory);
  auto const shared = reinterpret_cast<std::uint64_t>(in.memory);
  // Only the first three words are copied, and `shared`.
  images[1] = {
      shared + in.shared_bytes, in.shard_count - 1, static_cast<std::uint32_t>(in.shard_stride), 0, 0, shared, 0};
  images[0] = images[1];
  images[0].shards = 0;
  in.images = images;
  return true;
}

launch_group& collector::group_of(kernel_record& kernel, launch_key const& key) {
  std::lock_guard const lock(results_mutex_);
  return kernel.groups[key];
}

sample_count& collector::sampled_of(kernel_record& kernel, std::string const& range) {
  std::lock_guard const lock(results_mutex_);
  return kernel.sampled[range];
}

// Null: there is no memory for another.
other_set* collector::set_for(attachment& in, launch_key const& key) {
  for (other_set& known : in.others) {
    if (known.key == key) return &known;
  }
  device_record* device = nullptr;
  {
    std::lock_guard const lock(results_mutex_);
    for (device_record& each : devices_) {
      for (attachment const& one : each.attachments) {
        if (&one == &in) device = &each;
      }
    }
  }
  if (device == nullptr) return nullptr;
  std::lock_guard const attach_lock(attach_mutex_);
  own_calls const own(runtime_, device->number);
  void *memory = nullptr, *image = nullptr;
  if (in.set_bytes() > device->left_bytes || runtime_.allocate_on_host == nullptr) return nullptr;
  if (runtime_.allocate(&memory, in.set_bytes()) != hipSuccess) {
    static_cast<void>(runtime_.get_last_error());
    return nullptr;
  }
  hipError_t result = runtime_.set_async(memory, 0, in.set_bytes(), device->stream);
  if (result == hipSuccess) result = runtime_.wait_for_stream(device->stream);
  if (result == hipSuccess) result = runtime_.allocate_on_host(&image, sizeof(module_state), 0);
  if (result != hipSuccess) {
    static_cast<void>(runtime_.get_last_error());
    static_cast<void>(runtime_.release(memory));
    return nullptr;
  }
  device->left_bytes -= in.set_bytes();
  auto const shared = reinterpret_cast<std::uint64_t>(memory);
  std::lock_guard const lock(results_mutex_);
  other_set& made = in.others.emplace_back();
  made.key = key;
  made.memory = static_cast<std::byte*>(memory);
  made.image = static_cast<module_state*>(image);
  *made.image = in.images[1];
  made.image->shards = shared + in.shared_bytes;
  made.image->shared = shared;
  return &made;
}

// Two copies, of which the one that makes kernels count comes last.
bool collector::order(attachment& in, other_set* set, bool is_off, hipStream_t stream) {
  module_state const* const image = set != nullptr ? set->image : in.images + (is_off ? 0 : 1);
  auto* const state = static_cast<std::byte*>(in.state);
  auto const* const from = reinterpret_cast<std::byte const*>(image);
  auto const copy_word = [&](std::size_t at) {
    return runtime_.copy_async(state + at, from + at, sizeof(std::uint64_t), hipMemcpyHostToDevice, stream) ==
           hipSuccess;
  };
  bool is_done = is_off || copy_word(offsetof(module_state, shared));
  is_done = is_done && copy_word(offsetof(module_state, shards));
  if (!is_done) {
    static_cast<void>(runtime_.get_last_error());
    return false;
  }
  in.present = set;
  in.is_off = is_off;
  return true;
}

void collector::place(launches_under_way::one& launch, launch_key const& key, hipStream_t stream) {
  attachment& in = *launch.at;
  if (!in.is_switching.exchange(true)) {
    std::uintptr_t const before = in.plain_stream;
    // Only waiting for the whole device ends what was not followed.
    if (before != 0 && before != reinterpret_cast<std::uintptr_t>(stream) + 1) in.streams[unfollowed].is_open = true;
  }
  bool const can_switch = make_images(in) && may_switch(in, stream);
  launch_key const everything{};
  other_set* wanted = nullptr;
  if (!launch.is_left_out && key != everything) {
    wanted = in.images == nullptr ? nullptr : set_for(in, key);
    if (wanted == nullptr) ++merged_launches_;
  }
  bool is_there = in.is_off == launch.is_left_out && (launch.is_left_out || in.present == wanted);
  if (!is_there && can_switch) is_there = order(in, wanted, launch.is_left_out, stream);
  if (is_there) {
    if (!launch.is_left_out && wanted != nullptr) launch.group = &group_of(*launch.what.kernel, wanted->key);
    launch.counted_in = wanted == nullptr ? 0 : wanted->key.second;
    return;
  }
  if (in.is_off) {  // it was chosen
    ++missed_launches_;
    launch.is_left_out = true;
    return;
  }
  // It is counted with what is collected now. What was not chosen by its name has no rows in the report.
  if (launch.what.kernel->is_excluded) return;
  ++(launch.is_left_out ? forced_launches_ : merged_launches_);
  launch.is_left_out = false;
  if (in.present != nullptr) launch.group = &group_of(*launch.what.kernel, in.present->key);
  launch.counted_in = in.present == nullptr ? 0 : in.present->key.second;
}

collector::launches_under_way collector::launches_begin(std::vector<launched> const& what, hipStream_t stream) {
  launches_under_way made;
  made.lock = std::unique_lock(switch_mutex_);
  made.stream = stream;
  std::uint64_t number = next_launch_.fetch_add(what.size(), std::memory_order_relaxed);
  std::string const& range = current_range();
  // A graph is taken or left as a whole.
  auto const asked = std::find_if(what.begin(), what.end(), [](launched const& e) { return !e.kernel->is_excluded; });
  bool const is_offered = asked != what.end() && is_offered_now(number);
  bool const is_in = is_offered && asked->kernel->sampler.takes(wanted_.sampling_rate);
  for (launched const& each : what) {
    kernel_record& kernel = *each.kernel;
    launches_under_way::one& one = made.all.emplace_back();
    one.what = each;
    one.number = number++;
    one.is_left_out = kernel.is_excluded || !is_in;
    if (kernel.where != nullptr && kernel.why_not.empty() && !kernel.where->is_gone) one.at = kernel.where;
    // Launches that each have memory of their own need none by range.
    bool const is_one = wanted_.per == scope::launch;
    if (one.at != nullptr && wanted_.sampling_rate < 1 && !is_one && is_offered && !kernel.is_excluded)
      one.sampled = &sampled_of(kernel, range);
    if (one.sampled != nullptr && !one.is_left_out) one.part = one.counted_in = one.sampled->next_part();
    launch_key const key{is_one ? std::string() : range, one.part};
    // A kernel of a graph that was not chosen, beside one that was, counts and is not reported.
    bool const is_beside = kernel.is_excluded && is_in;
    if (one.at != nullptr && !is_beside) place(one, key, stream);
    bool const has_no_set = one.at == nullptr || one.is_left_out;
    if (has_no_set && one.group == nullptr && key != launch_key{}) one.group = &group_of(kernel, {key.first, 0});
  }
  return made;
}

// So that other streams know when its launches have ended.
void collector::mark(attachment& in, hipStream_t stream) {
  stream_mark& of = in.streams[stream];
  of.is_open = true;
  if (!runtime_.has_events()) return;
  if (of.last == nullptr && runtime_.make_event(&of.last, hipEventDisableTiming) != hipSuccess) of.last = nullptr;
  if (of.last != nullptr && runtime_.record_event(of.last, stream) != hipSuccess) of.last = nullptr;
  if (of.last == nullptr) static_cast<void>(runtime_.get_last_error());
}

void collector::launches_end(launches_under_way& what, outcome how) {
  constexpr std::size_t most_kept = 1 << 16;
  if (how == outcome::refused) return;
  std::lock_guard const lock(results_mutex_);
  for (launches_under_way::one& each : what.all) {
    kernel_record& kernel = *each.what.kernel;
    collecting::launch_counts& counts =
        each.group != nullptr ? static_cast<collecting::launch_counts&>(*each.group) : kernel;
    if (!counts.is_shape_set.exchange(true)) counts.first = each.what.shape;
    counts.see_shape(each.what.shape);
    counts.add_launches(1);
    if (each.is_left_out) ++(each.group != nullptr ? each.group->left_out : kernel.left_out);
    if (each.at != nullptr) mark(*each.at, what.stream);
    if (each.sampled != nullptr) ++each.sampled->launches_offered;
    if (each.sampled != nullptr && !each.is_left_out) {
      // One that ran beside others, or found no memory, is counted in another part.
      if (each.counted_in != each.part) each.sampled->are_parts_known = false;
      each.sampled->take(each.counted_in, 0, all_blocks_);
    }
    if (each.is_left_out || wanted_.per != scope::launch) continue;
    if (kernel.each.size() < most_kept) kernel.each.emplace_back(each.number, each.what.shape);
  }
}

std::vector<attachment*> collector::find_unfollowed(device_record& device) {
  std::vector<attachment*> found;
  std::unique_lock const lock(switch_mutex_, std::try_to_lock);
  if (!lock) return found;
  std::lock_guard const results_lock(results_mutex_);
  for (attachment& each : device.attachments) {
    auto const known = each.streams.find(unfollowed);
    if (known != each.streams.end() && known->second.is_open) found.push_back(&each);
  }
  return found;
}

void collector::end_unfollowed(std::vector<attachment*> const& in) {
  if (in.empty()) return;
  std::lock_guard const lock(switch_mutex_);
  for (attachment* const each : in) each->streams[unfollowed].is_open = false;
}

void collector::add_launch_notes(std::set<std::string>& notes) const {
  auto const add = [&](std::uint64_t count, char const* what) {
    if (count > 0) notes.insert(fmt::format("{} launch{} {}", count, count == 1 ? "" : "es", what));
  };
  add(merged_launches_,
      "merged with others of the kernel: another stream's launches ran beside, or there was no memory for more "
      "ranges.");
  add(forced_launches_, "analysed that should have been left out: another stream's launches ran beside.");
  add(missed_launches_, "left out that had been chosen: another stream's launches, which were left out, ran beside.");
}

attachment* collector::find_attachment(device_record& device, module_record const& module,
                                       instrumented_code::part const& part) {
  for (attachment& known : device.attachments) {
    if (!known.is_gone && known.module == &module && (part.id.empty() || known.table->id == part.id)) return &known;
  }
  return nullptr;
}

}  // namespace pasta::hip_runtime
