// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Shadow bits of a tool: what the program allocates, and which functions have bits. A function's row says where they
// are; it is written before the launch that needs it.
#include "collector.hpp"

namespace pasta::ptx {

namespace {

// Where the word of a function is that says where its bits are; 0: it has none.
CUdeviceptr shadow_word(attachment const& of, std::size_t function, shadow_need const& need) {
  auto const* const rows = of.table->find_rows(need.tool);
  std::optional<std::uint32_t> const row = of.table->functions[function].row;
  if (rows == nullptr || !row || rows->shared.function_bytes < need.row_offset + sizeof(std::uint64_t)) return 0;
  return of.bins.front().memory + rows->shared.functions + std::size_t{rows->shared.function_bytes} * *row +
         need.row_offset;
}

}  // namespace

void collector::want_shadow(shadow_need const& need) {
  need_ = need;
  has_shadow_ = is_following_memory_ = need.request.limit_bytes > 0;
}

void collector::allocated(std::uint32_t context_uid, std::uint64_t address, std::uint64_t bytes) {
  if (!is_following_memory_.load(std::memory_order_relaxed) || address == 0 || bytes == 0) return;
  std::lock_guard const lock(attach_mutex_);
  auto const added = allocations_.add(address, bytes, context_uid);
  context_state* const context = find_context(context_uid);
  if (context == nullptr || context->shadow == nullptr) return;
  for (allocation_record const& ended : added.ended) context->shadow->released_in_stream(ended.address);
  context->shadow->allocated(added.record);
  ++context->memory_version;
}

void collector::released(std::uint32_t context_uid, std::uint64_t address, release how) {
  if (!is_following_memory_.load(std::memory_order_relaxed) || address == 0) return;
  std::lock_guard const lock(attach_mutex_);
  auto const ended = allocations_.remove(address);
  context_state* const context = ended ? find_context(static_cast<std::uint32_t>(ended->device)) : nullptr;
  if (context == nullptr || context->shadow == nullptr || context->is_gone || !context->lost_because.empty()) return;
  if (how == release::waits && context_uid == context->uid) {
    capture_relaxed const relaxed(driver_);
    context->shadow->released(address);
  } else {
    context->shadow->released_in_stream(address);
  }
  ++context->memory_version;
}

// One call may end several mappings.
void collector::unmapped(std::uint32_t context_uid, std::uint64_t address, std::uint64_t bytes) {
  if (!is_following_memory_.load(std::memory_order_relaxed)) return;
  std::vector<std::uint64_t> begins;
  {
    std::lock_guard const lock(attach_mutex_);
    allocations_.for_each([&](allocation_record const& live) {
      if (live.address - address < bytes) begins.push_back(live.address);
    });
  }
  for (std::uint64_t const each : begins) released(context_uid, each, release::in_stream);
}

bool collector::has_stale_shadow(function_record const& function) const {
  return has_shadow_.load(std::memory_order_relaxed) && function.where != nullptr &&
         function.memory_version.load(std::memory_order_relaxed) != function.context->memory_version;
}

void collector::prepare_shadow(function_record& function) {
  if (!has_stale_shadow(function)) return;
  context_state& context = *function.context;
  std::lock_guard const lock(attach_mutex_);
  if (context.is_gone || !context.lost_because.empty() || function.where->is_gone) return;
  capture_relaxed const relaxed(driver_);
  if (context.shadow == nullptr) {
    // A stream that is being captured must not be waited for, nor its context, and that may be so from now on.
    auto const may_wait = [this] { return !has_captured_.load(std::memory_order_relaxed); };
    context.shadow = std::make_unique<shadow_keeper>(
        need_.request, shadow_memory(driver_, context.stream, may_wait, [this, &context] { detach_shadow(context); }));
    allocations_.for_each([&](allocation_record const& live) {
      if (live.device == context.uid) context.shadow->allocated(live);
    });
  }
  attachment& where = *function.where;
  // Where lines are made longer for one of them, those before it are told once more.
  constexpr int most_tries = 16;
  for (int tries = 0; tries < most_tries && function.memory_version != context.memory_version; ++tries) {
    std::uint64_t const version = context.memory_version;
    place_shadow(context, where, function.function);
    for (std::size_t i = 0; i < where.table->functions.size(); ++i) {
      if (!where.table->functions[i].is_entry) place_shadow(context, where, i);  // it may call them
    }
    function.memory_version = version;
  }
}

void collector::place_shadow(context_state& context, attachment& where, std::size_t function) {
  CUdeviceptr const word = shadow_word(where, function, need_);
  if (word == 0) return;
  shadow_keeper::kernel*& kernel = where.shadows[function];
  if (kernel == nullptr) kernel = context.shadow->make_kernel();
  write_shadow_word(context, word, reinterpret_cast<std::uintptr_t>(context.shadow->place(*kernel, true)));
}

void collector::write_shadow_word(context_state& context, CUdeviceptr word, std::uint64_t view) const {
  if (driver_.cuMemcpyHtoDAsync_(word, &view, sizeof view, context.stream) == CUDA_SUCCESS)
    static_cast<void>(driver_.cuStreamSynchronize_(context.stream));
}

// From here on kernels that start keep nothing, until their next launch is prepared.
void collector::detach_shadow(context_state& context) {
  for (attachment& each : context.attachments) {
    if (each.is_gone) continue;
    for (auto const& [function, kernel] : each.shadows)
      write_shadow_word(context, shadow_word(each, function, need_), 0);
  }
  ++context.memory_version;
}

void collector::read_shadow(context_state& context, attachment& from, reading how) {
  if (context.shadow == nullptr) return;
  for (auto const& [function, kernel] : from.shadows) {
    static_cast<void>(how == reading::last ? context.shadow->read(*kernel) : context.shadow->look(*kernel));
    touched_memory touched = kernel->touched();
    std::lock_guard const lock(results_mutex_);
    from.touched[function] = std::move(touched);
  }
  std::set<std::string> notes;
  context.shadow->add_notes(notes);
  std::lock_guard const lock(results_mutex_);
  context.shadow_notes = std::move(notes);
}

void collector::blank_shadow_words(attachment const& of, std::byte* set) const {
  for (auto const& [function, kernel] : of.shadows) {
    CUdeviceptr const word = shadow_word(of, function, need_);
    if (word != 0) std::memset(set + (word - of.bins.front().memory), 0, sizeof(std::uint64_t));
  }
}

}  // namespace pasta::ptx
