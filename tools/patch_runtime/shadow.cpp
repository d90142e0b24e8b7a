// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Shadow bits of a tool: what the program allocates, and which launches have bits. The row of a kernel, or of a launch
// that is kept apart, says where they are; it is written before the launch that needs it.
#include "collector.hpp"

namespace pasta::patch {

void collector::memory_made(Sanitizer_ResourceMemoryData const& what) {
  std::lock_guard const lock(mutex_);
  if ((patches_ && patches_->shadow.request.limit_bytes == 0) || what.address == 0 || what.size == 0) return;
  auto const added = allocations_.add(what.address, what.size, static_cast<std::uint64_t>(what.device));
  for (context_record& context : contexts_) {
    if (context.is_gone || context.shadow == nullptr || context.device != what.device) continue;
    for (allocation_record const& gone : added.ended) context.shadow->released_in_stream(gone.address);
    context.shadow->allocated(added.record);
    ++context.memory_version;
  }
}

void collector::memory_ends(Sanitizer_ResourceMemoryData const& what) {
  std::lock_guard const lock(mutex_);
  if (!allocations_.remove(what.address)) return;
  for (context_record& context : contexts_) {
    if (context.is_gone || context.shadow == nullptr) continue;
    context.shadow->released_in_stream(what.address);
    ++context.memory_version;
  }
}

// The vendor has no wait for all kernels, so lines are not made longer later: they are long enough for 64 kernels.
void collector::start_shadow(context_record& context) {
  ptx::shadow_need const& need = patches_->shadow;
  context.shadow =
      std::make_unique<shadow_keeper>(need.request, shadow_memory(with_, context.handle, context.shadow_stream));
  allocations_.for_each([&](allocation_record const& live) {
    if (live.device == static_cast<std::uint64_t>(context.device)) context.shadow->allocated(live);
  });
  context.shadow->lengthen_lines_for(need.request.limit_bytes / 64);
}

void collector::prepare_shadow(context_record& context, std::uint32_t state, shadow_record& shadow,
                               Sanitizer_StreamHandle stream) {
  ptx::shadow_need const& need = patches_->shadow;
  if (need.request.limit_bytes == 0 || (shadow.kernel != nullptr && shadow.memory_version == context.memory_version))
    return;
  context.shadow_stream = stream;
  if (context.shadow == nullptr) start_shadow(context);
  if (shadow.kernel == nullptr) shadow.kernel = context.shadow->make_kernel();
  shadow.memory_version = context.memory_version;
  auto view = reinterpret_cast<std::uint64_t>(context.shadow->place(*shadow.kernel, false));
  auto* const word = reinterpret_cast<void*>(context.memory.function_row(state) + need.row_offset);
  SanitizerResult result = with_.sanitizerMemcpyHostToDeviceAsync_(word, &view, sizeof view, stream);
  if (result == SANITIZER_SUCCESS) result = with_.sanitizerStreamSynchronize_(stream);
  if (result != SANITIZER_SUCCESS)
    notes_.insert(fmt::format("Launches could not be told where shadow memory is: {}.", with_.explain(result)));
}

void collector::read_shadow(context_record& context, ended how) {
  if (context.shadow == nullptr) return;
  context.shadow_stream = context.stream;
  auto const read = [&](shadow_record const& shadow) {
    if (shadow.kernel == nullptr) return;
    static_cast<void>(how == ended::all ? context.shadow->read(*shadow.kernel) : context.shadow->look(*shadow.kernel));
  };
  for (kernel_record& kernel : records_) {
    if (kernel.context != &context) continue;
    for (launch_group& group : kernel.groups) read(group.shadow);
  }
  for (auto const& [state, shadow] : context.graph_shadows) read(shadow);
}

}  // namespace pasta::patch
