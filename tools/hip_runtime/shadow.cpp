// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Shadow bits of a tool: what the program allocates, and which functions have bits. A function's row says where they
// are, in each set of memory that kernels add to; it is written before the launch that needs it.
#include <cstring>
#include <utility>
#include <vector>

#include "collector.hpp"

namespace pasta::hip_runtime {

namespace {

// From a set's begin to the word of a function that says where its bits are.
std::optional<std::size_t> shadow_word(attachment const& of, std::size_t function, ptx::shadow_need const& need) {
  auto const* const rows = of.table->find_rows(need.tool);
  std::optional<std::uint32_t> const row = of.table->functions[function].row;
  if (rows == nullptr || !row || rows->shared.function_bytes < need.row_offset + sizeof(std::uint64_t))
    return std::nullopt;
  return rows->shared.functions + std::size_t{rows->shared.function_bytes} * *row + need.row_offset;
}

std::string range_of(other_set const* set) { return set == nullptr ? "" : set->key.first; }

}  // namespace

void collector::want_shadow(ptx::shadow_need const& need) {
  need_ = need;
  is_following_memory_ = need.request.limit_bytes > 0;
  // Launches with memory of their own find it when they run: nobody can tell them where their bits are.
  has_shadow_ = is_following_memory_ && wanted_.per != scope::launch;
}

void collector::allocated(void const* address, std::size_t bytes, hipStream_t stream) {
  if (!is_following_memory_.load(std::memory_order_relaxed) || address == nullptr || bytes == 0) return;
  int const number = device_of(stream);
  std::lock_guard const lock(attach_mutex_);
  auto const added =
      allocations_.add(reinterpret_cast<std::uintptr_t>(address), bytes, static_cast<std::uint64_t>(number));
  for (allocation_record const& ended : added.ended) {
    device_record* const of = find_device(static_cast<int>(ended.device));
    if (of == nullptr || of->shadow == nullptr) continue;
    of->shadow->released_in_stream(ended.address);
    ++of->memory_version;
  }
  device_record* const device = find_device(number);
  if (device == nullptr || device->shadow == nullptr) return;
  device->shadow->allocated(added.record);
  ++device->memory_version;
}

void collector::released(void const* address, release how) {
  if (!is_following_memory_.load(std::memory_order_relaxed) || address == nullptr) return;
  std::lock_guard const lock(attach_mutex_);
  auto const ended = allocations_.remove(reinterpret_cast<std::uintptr_t>(address));
  device_record* const device = ended ? find_device(static_cast<int>(ended->device)) : nullptr;
  if (device == nullptr || device->shadow == nullptr || !device->lost_because.empty()) return;
  if (how == release::waits) {
    own_calls const own(runtime_, device->number);
    static_cast<void>(runtime_.wait_for_device());  // without the results' lock
    std::lock_guard const results_lock(results_mutex_);
    device->shadow->released(ended->address);
  } else {
    device->shadow->released_in_stream(ended->address);
  }
  ++device->memory_version;
}

void collector::prepare_shadow(kernel_record& kernel) {
  if (!has_shadow_.load(std::memory_order_relaxed) || kernel.where == nullptr) return;
  if (kernel.memory_version.load(std::memory_order_relaxed) == kernel.device->memory_version) return;
  std::lock_guard const lock(attach_mutex_);
  kernel.memory_version = place_shadows(kernel, nullptr);
}

void collector::prepare_shadow(launches_under_way const& what) {
  if (!has_shadow_.load(std::memory_order_relaxed)) return;
  for (launches_under_way::one const& each : what.all) {
    if (each.at == nullptr || each.is_left_out) continue;
    if (each.at->present == nullptr) {
      prepare_shadow(*each.what.kernel);
    } else {
      std::lock_guard const lock(attach_mutex_);
      static_cast<void>(place_shadows(*each.what.kernel, each.at->present));
    }
  }
}

// @param set where the kernel's code adds to now; null: to what there is for all
// @return the version of the device's memory that its functions know
std::uint64_t collector::place_shadows(kernel_record& kernel, other_set const* set) {
  device_record& device = *kernel.device;
  if (!device.lost_because.empty() || kernel.where->is_gone) return kernel.memory_version;
  own_calls const own(runtime_, device.number);
  std::lock_guard const results_lock(results_mutex_);
  if (device.shadow == nullptr) {
    device.shadow = std::make_unique<shadow_keeper>(
        need_.request, shadow_memory(runtime_, device.stream, [this, &device] { detach_shadow(device); }));
    allocations_.for_each([&](allocation_record const& live) {
      if (live.device == static_cast<std::uint64_t>(device.number)) device.shadow->allocated(live);
    });
  }
  std::uint64_t version = 0;
  do {  // again where one found no room, and lines were made longer for all
    version = device.memory_version;
    place_shadow(device, *kernel.where, kernel.function, set);
    for (auto const& [where, function] : kernel.others) place_shadow(device, *where, function, nullptr);
    // It may call the functions of its module.
    for (attachment& each : device.attachments) {
      if (each.is_gone || each.module != kernel.where->module) continue;
      for (std::size_t i = 0; i < each.table->functions.size(); ++i) {
        if (!each.table->functions[i].is_entry) place_shadow(device, each, i, &each == kernel.where ? set : nullptr);
      }
    }
  } while (version != device.memory_version);
  return version;
}

void collector::place_shadow(device_record& device, attachment& where, std::size_t function, other_set const* set) {
  std::optional<std::size_t> const word = shadow_word(where, function, need_);
  if (!word || where.is_gone) return;
  std::uint64_t const version = device.memory_version;
  attachment::shadow& known = where.shadows[{set, function}];
  if (known.kernel != nullptr && known.version == version) return;
  // The parts of a sample have sets of their own, and bits together.
  for (auto const& [place, other] : where.shadows) {
    if (known.kernel == nullptr && place.second == function && range_of(place.first) == range_of(set))
      known.kernel = other.kernel;
  }
  if (known.kernel == nullptr) known.kernel = device.shadow->make_kernel();
  auto const view = reinterpret_cast<std::uintptr_t>(device.shadow->place(*known.kernel, true));
  if (write_shadow_word(device, (set != nullptr ? set->memory : where.memory) + *word, view)) known.version = version;
}

bool collector::write_shadow_word(device_record& device, std::byte* word, std::uint64_t view) {
  return copy(device, word, &view, sizeof view, hipMemcpyHostToDevice).empty();
}

// From here on kernels that start keep nothing, until their next launch is prepared.
void collector::detach_shadow(device_record& device) {
  for (attachment& each : device.attachments) {
    if (each.is_gone) continue;
    for (auto const& [place, known] : each.shadows) {
      std::byte* const set = place.first != nullptr ? place.first->memory : each.memory;
      std::optional<std::size_t> const word = shadow_word(each, place.second, need_);
      if (word && set != nullptr) static_cast<void>(write_shadow_word(device, set + *word, 0));
    }
  }
  ++device.memory_version;
}

void collector::read_shadow(device_record& device, wait how) {
  if (device.shadow == nullptr) return;
  std::lock_guard const lock(results_mutex_);
  for (attachment& each : device.attachments) {
    if (each.is_gone) continue;
    for (auto const& [kernel, range] : each.shadow_kernels())
      static_cast<void>(how == wait::for_kernels ? device.shadow->read(*kernel) : device.shadow->look(*kernel));
  }
}

void collector::retire_shadow(device_record& device, attachment& each) {
  if (device.shadow == nullptr) return;
  std::lock_guard const lock(results_mutex_);
  for (auto const& [kernel, range] : each.shadow_kernels()) device.shadow->retire(*kernel);
}

// A reset gives all of the device's memory back.
void collector::shadow_gone(device_record& device) {
  std::vector<std::uint64_t> ended;
  allocations_.for_each([&](allocation_record const& live) {
    if (live.device == static_cast<std::uint64_t>(device.number)) ended.push_back(live.address);
  });
  for (std::uint64_t const address : ended) static_cast<void>(allocations_.remove(address));
  std::lock_guard const lock(results_mutex_);
  if (device.shadow != nullptr) device.old_shadows.push_back(std::exchange(device.shadow, nullptr));
  ++device.memory_version;
}

// Where bits are is nothing that was counted.
void collector::blank_shadow_words(attachment const& of, std::byte* set) const {
  for (auto const& [place, known] : of.shadows) {
    if (std::optional<std::size_t> const word = shadow_word(of, place.second, need_))
      std::memset(set + *word, 0, sizeof(std::uint64_t));
  }
}

std::map<shadow_keeper::kernel*, std::string> attachment::shadow_kernels(std::optional<std::size_t> function) const {
  std::map<shadow_keeper::kernel*, std::string> kernels;
  for (auto const& [place, known] : shadows) {
    if (known.kernel == nullptr || (function && place.second != *function)) continue;
    kernels.emplace(known.kernel, range_of(place.first));
  }
  return kernels;
}

}  // namespace pasta::hip_runtime
