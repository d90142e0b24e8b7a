// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Finding what is launched: at a kernel's first launch on a device by what was registered, then by its handle.
#include <array>

#include <pasta/instrument/ptx/module_state.hpp>

#include "collector.hpp"
#include "demangled.hpp"

namespace pasta::hip_runtime {

namespace {

// What a thread launched last. A handle's entry holds as long as no module was unloaded and no device reset.
struct cached_handle {
  void const* function = nullptr;
  int device = 0;
  std::uint64_t generation = 0;
  kernel_record* record = nullptr;
};
thread_local std::array<cached_handle, 64> cache;

// Streams that are no handles: the default stream, that of the thread.
bool is_handle(hipStream_t stream) { return reinterpret_cast<std::uintptr_t>(stream) > 16; }

}  // namespace

// A launch goes to its stream's device, whatever the thread's current one is.
int collector::device_of(hipStream_t stream) const {
  int device = 0;
  if (device_count_ == 1) return device;
  if (is_handle(stream) && runtime_.get_stream_device != nullptr &&
      runtime_.get_stream_device(stream, &device) == hipSuccess)
    return device;
  return runtime_.get_device(&device) == hipSuccess ? device : 0;
}

kernel_record& collector::find(void const* function, hipStream_t stream, launch_shape const& shape) {
  std::uint64_t const generation = generation_.load(std::memory_order_acquire);
  int const device = device_of(stream);
  cached_handle& entry = cache[(reinterpret_cast<std::uintptr_t>(function) >> 3) * 0x9e3779b97f4a7c15u >> 58];
  if (entry.function == function && entry.device == device && entry.generation == generation) return *entry.record;
  kernel_record* found = nullptr;
  {
    std::shared_lock const lock(handles_mutex_);
    if (auto const known = handles_.find({function, device}); known != handles_.end()) found = known->second;
  }
  if (found == nullptr) found = &resolve(function, device, shape);
  entry = {function, device, generation, found};
  return *found;
}

void collector::forget_handles() {
  std::unique_lock const lock(handles_mutex_);
  handles_.clear();
  generation_.fetch_add(1, std::memory_order_release);
}

bool collector::is_capturing(hipStream_t stream) const {
  if (!has_captured_.load(std::memory_order_relaxed) || stream == nullptr) return false;
  auto status = hipStreamCaptureStatusNone;
  return runtime_.is_capturing(stream, &status) == hipSuccess && status != hipStreamCaptureStatusNone;
}

void collector::see_launches(kernel_record& record, launch_shape const& shape, hipStream_t stream) {
  constexpr std::size_t most_kept = 1 << 16;
  record.see_shape(shape);
  record.add_launches(1);
  std::uint64_t const number = next_launch_.fetch_add(1, std::memory_order_relaxed);
  if (record.where != nullptr) {
    std::uintptr_t const key = reinterpret_cast<std::uintptr_t>(stream) + 1, known = record.where->plain_stream;
    if (known != key && known != several_streams) record.where->plain_stream = known == 0 ? key : several_streams;
  }
  if (wanted_.per != scope::launch) return;
  std::lock_guard const lock(results_mutex_);
  if (record.each.size() < most_kept) record.each.emplace_back(number, shape);
}

device_record* collector::find_device(int number) {
  std::lock_guard const lock(results_mutex_);
  for (device_record& known : devices_) {
    if (known.number == number) return &known;
  }
  return nullptr;
}

device_record& collector::device_record_of(int number) {
  if (device_record* const known = find_device(number)) return *known;
  int count = 0, units = 1;
  if (runtime_.get_device_count(&count) == hipSuccess) device_count_ = count;
  hipDeviceProp_t properties{};
  if (runtime_.get_device_properties(&properties, number) != hipSuccess) properties = {};
  if (runtime_.get_device_attribute(&units, hipDeviceAttributeMultiprocessorCount, number) != hipSuccess || units < 1)
    units = 1;
  std::lock_guard const lock(results_mutex_);
  device_record& made = devices_.emplace_back();
  made.number = number;
  made.name = properties.name;
  made.target = properties.gcnArchName;
  made.compute_units = static_cast<std::uint32_t>(units);
  made.left_bytes = ptx::most_collected_bytes;
  while (made.most_shards < made.compute_units && made.most_shards < 4096) made.most_shards *= 2;
  return made;
}

kernel_record& collector::record_of(device_record& device, attachment* where, std::string const& name) {
  std::lock_guard const lock(results_mutex_);
  kernel_record*& known = known_records_[{&device, where, name}];
  if (known == nullptr) {
    known = &records_.emplace_back();
    known->name = name;
    known->device = &device;
    known->where = where;
  }
  return *known;
}

kernel_record& collector::resolve(void const* function, int number, launch_shape const& shape) {
  std::lock_guard const lock(attach_mutex_);
  std::uint64_t const generation = generation_.load(std::memory_order_acquire);
  own_calls const own(runtime_, number);
  device_record& device = device_record_of(number);
  std::optional<known_kernel> const known = module_list::all().find(function);
  std::string const name = known ? known->name : "a kernel whose name is not known";
  std::string why_not = "it was built without PASTA's counters";
  std::string part_why_not;
  std::vector<std::pair<attachment*, std::size_t>> found;
  bool const is_excluded = !wanted_.selection.devices.has(static_cast<std::uint64_t>(number)) ||
                           !wanted_.selection.has_kernel(collecting::demangled(name));
  is_any_excluded_ = is_any_excluded_ || is_excluded;
  module_record* const module = known ? &module_list::all().read(*known->module) : nullptr;
  if (module != nullptr && !module->why_not.empty()) why_not = module->why_not;
  instrumented_code* const code = module == nullptr ? nullptr : module->code_for(device.target);
  if (code != nullptr && !begin_result_) begin_result_ = begin_();
  if (code != nullptr && !begin_result_->empty()) why_not = *begin_result_;
  if (code != nullptr && begin_result_->empty()) {
    // Code that was linked from several objects has a state for each, and a kernel may call into all of them.
    for (instrumented_code::part& part : code->parts) {
      std::size_t const before = device.attachments.size();
      attachment* const one =
          is_excluded ? find_attachment(device, *module, part) : attach(device, *module, part, why_not);
      // What was excluded runs beside others from here on.
      if (device.attachments.size() > before && is_any_excluded_) forget_handles();
      if (one == nullptr) {
        if (!is_excluded) part_why_not = why_not;
        continue;
      }
      auto const& functions = one->table->functions;
      for (std::size_t i = 0; i < functions.size(); ++i) {
        if (functions[i].name == name) found.emplace_back(one, i);
      }
    }
  }
  attachment* const where = found.empty() ? nullptr : found.front().first;
  std::size_t const index = found.empty() ? 0 : found.front().second;
  if (where != nullptr) why_not = where->table->functions[index].why;
  kernel_record& record = record_of(device, where, name);
  if (!record.is_shape_set.load(std::memory_order_relaxed)) {
    record.first = shape;
    record.function = index;
    if (where != nullptr) {
      record.others.assign(found.begin() + 1, found.end());
      record.part_why_not = part_why_not;
    }
    record.is_excluded = is_excluded;
    record.why_not = is_excluded ? "" : why_not;
    record.is_shape_set.store(true, std::memory_order_release);
  }
  std::unique_lock const handles_lock(handles_mutex_);
  if (generation == generation_.load(std::memory_order_relaxed)) handles_[{function, number}] = &record;
  return record;
}

}  // namespace pasta::hip_runtime
