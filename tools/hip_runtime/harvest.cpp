// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Bringing what was collected to the host.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <pasta/instrument/launch_sets.hpp>
#include <pasta/instrument/ptx/module_state.hpp>
#include <tuple>

#include "collector.hpp"

namespace pasta::hip_runtime {

std::string collector::read(device_record& device, attachment& from) {
  std::vector<std::byte> set(from.set_bytes());
  std::string problem = copy(device, set.data(), from.memory, set.size(), hipMemcpyDeviceToHost);
  if (!problem.empty()) return problem;
  blank_shadow_words(from, set.data());
  {
    std::lock_guard const lock(results_mutex_);
    from.kept.keep(from, set.data());
  }
  for (other_set& other : from.others) {
    if (other.memory == nullptr) continue;
    problem = copy(device, set.data(), other.memory, set.size(), hipMemcpyDeviceToHost);
    if (!problem.empty()) return problem;
    blank_shadow_words(from, set.data());
    std::lock_guard const lock(results_mutex_);
    other.kept.keep(from, set.data());
  }
  return "";
}

std::string collector::read_launches(device_record& device, attachment& from) {
  std::vector<std::byte> all(from.launch_bytes());
  std::string problem = copy(device, all.data(), from.launches, all.size(), hipMemcpyDeviceToHost);
  if (!problem.empty()) return problem;
  std::size_t const set_bytes = from.of_launch.set_bytes();
  std::byte const* const sets = all.data() + all.size() - from.launch_set_count * set_bytes;
  std::vector<apart_launch> found;
  for (std::size_t i = 0; i < from.launch_set_count; ++i) {
    detail::launch_entry entry{};
    std::memcpy(&entry, all.data() + sizeof(detail::launch_sets) + i * sizeof entry, sizeof entry);
    if (entry.dispatch == 0 || entry.function == 0 || entry.function > from.table->functions.size()) continue;
    apart_launch& made = found.emplace_back();
    made.queue = entry.queue;
    made.dispatch = entry.dispatch;
    made.function = entry.function - 1;
    made.kept.keep(from.of_launch, sets + i * set_bytes);
  }
  std::sort(found.begin(), found.end(), [](apart_launch const& a, apart_launch const& b) {
    return std::tie(a.queue, a.dispatch) < std::tie(b.queue, b.dispatch);
  });
  std::lock_guard const lock(results_mutex_);
  from.apart = std::move(found);
  return "";
}

std::string collector::read_all(device_record& device) {
  for (attachment& each : device.attachments) {
    if (each.is_gone) continue;
    if (std::string problem = read(device, each); !problem.empty()) return problem;
    if (each.launches == nullptr) continue;
    if (std::string problem = read_launches(device, each); !problem.empty()) return problem;
  }
  return "";
}

collector::launch_numbers collector::launched_on(device_record const& device) {
  launch_numbers numbers;
  std::lock_guard const lock(results_mutex_);
  for (kernel_record& each : records_) {
    if (each.device != &device) continue;
    numbers.emplace_back(&each, each.launches.load() - each.left_out);
    for (auto& [key, group] : each.groups) numbers.emplace_back(&group, group.launches.load() - group.left_out);
  }
  return numbers;
}

void collector::conclude(device_record& device, std::string const& problem, launch_numbers const& delivered) {
  std::lock_guard const lock(results_mutex_);
  if (!problem.empty()) {
    device.lost_because = problem;
    return;
  }
  for (auto const& [record, launches] : delivered) record->delivered = std::max(record->delivered, launches);
}

void collector::harvest_one(device_record& device, wait how) {
  if (!device.lost_because.empty()) return;
  own_calls const own(runtime_, device.number);
  launch_numbers const before = how == wait::for_kernels ? launched_on(device) : launch_numbers();
  std::string problem;
  if (how == wait::for_kernels) {
    if (hipError_t const result = runtime_.wait_for_device(); result != hipSuccess) problem = runtime_.explain(result);
  }
  if (problem.empty()) problem = read_all(device);
  if (problem.empty()) read_shadow(device, how);
  conclude(device, problem, before);
}

void collector::harvest(wait how) {
  std::lock_guard const lock(attach_mutex_);
  for (device_record& device : devices_) harvest_one(device, how);
}

// At most a fiftieth of the time goes into reading.
bool collector::is_due(device_record const& device) {
  return std::chrono::steady_clock::now().time_since_epoch().count() >= device.next_read.load();
}

collector::device_wait::device_wait(collector& of) : of_(&of), device_(nullptr) {
  int number = 0;
  if (of.runtime_.get_device(&number) == hipSuccess) device_ = of.find_device(number);
  if (device_ != nullptr) unfollowed_ = of.find_unfollowed(*device_);
  if (device_ != nullptr && !is_due(*device_)) device_ = nullptr;
  if (device_ != nullptr) launched_ = of.launched_on(*device_);
}

void collector::device_wait::ended() {
  of_->end_unfollowed(unfollowed_);
  if (device_ == nullptr) return;
  std::unique_lock const lock(of_->attach_mutex_, std::try_to_lock);
  if (!lock || !device_->lost_because.empty()) return;
  auto const begin = std::chrono::steady_clock::now();
  own_calls const own(of_->runtime_, device_->number);
  of_->conclude(*device_, of_->read_all(*device_), launched_);
  auto const end = std::chrono::steady_clock::now();
  device_->next_read = (end + std::max<std::chrono::nanoseconds>(50 * (end - begin), std::chrono::milliseconds(100)))
                           .time_since_epoch()
                           .count();
}

// Its kernels have ended. What may still be launched of it counts nowhere.
void collector::let_go(device_record& device, attachment& each) {
  std::uint64_t const nobody = 0;
  std::string const problem = copy(device, each.state, &nobody, sizeof nobody, hipMemcpyHostToDevice);
  retire_shadow(device, each);
  if (problem.empty()) {
    static_cast<void>(runtime_.release(each.memory));
    device.left_bytes += each.set_bytes();
    for (other_set& other : each.others) {
      if (other.memory == nullptr) continue;
      static_cast<void>(runtime_.release(std::exchange(other.memory, nullptr)));
      device.left_bytes += each.set_bytes();
    }
    if (each.launches != nullptr) {
      static_cast<void>(runtime_.release(each.launches));
      device.left_bytes += each.launch_bytes();
    }
  }
  each.is_gone = true;
}

void collector::module_gone(module_record& module) {
  std::lock_guard const lock(attach_mutex_);
  for (device_record& device : devices_) {
    auto const is_its = [&](attachment const& each) { return each.module == &module && !each.is_gone; };
    if (std::none_of(device.attachments.begin(), device.attachments.end(), is_its)) continue;
    harvest_one(device, wait::for_kernels);
    if (!device.lost_because.empty()) continue;
    own_calls const own(runtime_, device.number);
    for (attachment& each : device.attachments) {
      if (is_its(each)) let_go(device, each);
    }
  }
  forget_handles();
}

void collector::device_gone() {
  std::lock_guard const lock(attach_mutex_);
  int number = 0;
  device_record* const device = runtime_.get_device(&number) == hipSuccess ? find_device(number) : nullptr;
  if (device == nullptr) return;
  harvest_one(*device, wait::for_kernels);
  for (attachment& each : device->attachments) each.is_gone = true;
  if (!device->lost_because.empty()) {  // what is launched from here on is another life of the device
    std::lock_guard const results_lock(results_mutex_);
    notes_.insert(fmt::format("On {} a kernel went wrong, and what was not read by then is lost with it: {}",
                              device->name, device->lost_because));
    device->lost_because.clear();
  }
  shadow_gone(*device);
  device->stream = nullptr;
  device->left_bytes = ptx::most_collected_bytes;
  forget_handles();
}

}  // namespace pasta::hip_runtime
