// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Finding what is launched: at a function's first launch in a context with the driver's help, then by its handle.
#include <array>

#include "collector.hpp"
#include "demangled.hpp"

namespace pasta::ptx {

namespace {

// What a thread launched last. A handle's entry holds as long as no module was unloaded and no context destroyed.
struct cached_handle {
  CUfunction function = nullptr;
  std::uint32_t context_uid = 0;
  std::uint64_t generation = 0;
  function_record* record = nullptr;
};
thread_local std::array<cached_handle, 64> cache;

}  // namespace

function_record& collector::find(CUfunction function, CUcontext context, std::uint32_t context_uid, char const* name,
                                 launch_shape const& shape) {
  std::uint64_t const generation = generation_.load(std::memory_order_acquire);
  cached_handle& entry = cache[(reinterpret_cast<std::uintptr_t>(function) >> 4) * 0x9e3779b97f4a7c15u >> 58];
  if (entry.function == function && entry.context_uid == context_uid && entry.generation == generation)
    return *entry.record;
  function_record* found = nullptr;
  {
    std::shared_lock const lock(handles_mutex_);
    if (auto const known = handles_.find({function, context_uid}); known != handles_.end()) found = known->second;
  }
  if (found == nullptr) found = &resolve(function, context, context_uid, name, shape);
  entry = {function, context_uid, generation, found};
  return *found;
}

void collector::forget_handles() {
  std::unique_lock const lock(handles_mutex_);
  handles_.clear();
  generation_.fetch_add(1, std::memory_order_release);
}

bool collector::is_capturing(CUstream stream) const {
  // The legacy stream cannot be captured.
  if (!has_captured_.load(std::memory_order_relaxed) || stream == nullptr || stream == CU_STREAM_LEGACY) return false;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return driver_.cuStreamIsCapturing_(stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

// A launch may name a CUkernel, which belongs to no context, where a CUfunction is asked for.
collector::found_function collector::look_up(CUfunction function, char const* name) const {
  found_function found;
  CUfunction in_context = nullptr;
  if (driver_.cuKernelGetFunction_(&in_context, reinterpret_cast<CUkernel>(function)) != CUDA_SUCCESS)
    in_context = function;
  if (driver_.cuFuncGetModule_(&found.module, in_context) != CUDA_SUCCESS) found.module = nullptr;
  if (name == nullptr && driver_.get_function_name != nullptr) {
    if (driver_.get_function_name(&name, in_context) != CUDA_SUCCESS) name = nullptr;
  }
  found.name = name != nullptr ? name : "a kernel whose name the driver does not tell";
  return found;
}

function_record& collector::record_of(context_state& context, attachment* where, std::string const& name) {
  std::lock_guard const lock(results_mutex_);
  function_record*& known = known_records_[{&context, where, name}];
  if (known == nullptr) {
    known = &records_.emplace_back();
    known->name = name;
    known->context = &context;
    known->where = where;
  }
  return *known;
}

function_record& collector::resolve(CUfunction function, CUcontext context, std::uint32_t context_uid, char const* name,
                                    launch_shape const& shape) {
  std::lock_guard const lock(attach_mutex_);
  std::uint64_t const generation = generation_.load(std::memory_order_acquire);
  capture_relaxed const relaxed(driver_);
  context_state& in = context_of(context, context_uid);
  // Also makes the driver load what it loads late, so that its image is known.
  found_function const found = look_up(function, name);
  auto* const module = found.module;
  std::string const& called = found.name;
  std::vector<std::string> const ids = images_.ids_of(called);
  std::string why_not = "it was built without PASTA's counters";
  attachment* where = nullptr;
  std::size_t index = 0;
  bool const is_excluded = !wanted_.selection.devices.has(static_cast<std::uint64_t>(in.device)) ||
                           !wanted_.selection.has_kernel(collecting::demangled(called));
  is_any_excluded_ = is_any_excluded_ || is_excluded;
  if (!ids.empty() && module == nullptr) why_not = "its module could not be found";
  if (!ids.empty() && module != nullptr && !begin_result_) begin_result_ = begin_();
  if (!ids.empty() && module != nullptr && !begin_result_->empty()) why_not = *begin_result_;
  if (begin_result_ && begin_result_->empty() && module != nullptr) {
    // A module that was linked from several objects has a state for each, and a kernel may call into all of them.
    for (std::string const& id : ids) {
      std::size_t const before = in.attachments.size();
      attachment* const one = is_excluded ? find_attachment(in, module, id) : attach(in, module, id, why_not);
      // What was excluded runs beside others from here on.
      if (in.attachments.size() > before && is_any_excluded_) forget_handles();
      if (one == nullptr) continue;
      auto const& functions = one->table->functions;
      for (std::size_t i = 0; i < functions.size(); ++i) {
        if (functions[i].name == called) where = one, index = i;
      }
    }
  }
  if (where != nullptr) why_not = where->table->functions[index].why;
  function_record& record = record_of(in, where, called);
  if (!record.plain.is_shape_set.load(std::memory_order_relaxed)) {
    record.plain.first = shape;
    record.function = index;
    record.is_excluded = is_excluded;
    record.why_not = is_excluded ? "" : why_not;
    record.plain.is_shape_set.store(true, std::memory_order_release);
  }
  std::unique_lock const handles_lock(handles_mutex_);
  if (generation == generation_.load(std::memory_order_relaxed)) handles_[{function, context_uid}] = &record;
  return record;
}

}  // namespace pasta::ptx
