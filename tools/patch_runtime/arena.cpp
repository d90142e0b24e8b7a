// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "arena.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace pasta::patch {

namespace {

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

arena_layout::arena_layout(tool_patches const& of)
    : sites(detail::most_patch_sites),
      shards(32),
      kernels(4096),
      site_shard_bytes(of.site_shard_bytes),
      site_shared_bytes(of.site_shared_bytes),
      function_shard_bytes(of.function_shard_bytes),
      function_shared_bytes(of.function_shared_bytes) {
  if (of.counts_alone) {
    // Most kernels count in rows of their code, and what is no instruction's own is little.
    sites = 16384;
    shards = 8;
    place();
    code_begin = bytes;
    bytes = memory_limit_bytes;
    return;
  }
  // Fewer sites first, until a program like an eager training step has room; then fewer shards; then what is left.
  for (place(); bytes > memory_limit_bytes; place()) {
    if (sites > 16384) {
      sites /= 2;
    } else if (shards > 8) {
      shards /= 2;
    } else if (kernels > 1024) {
      kernels /= 2;
    } else if (sites > 256) {
      sites /= 2;
    } else if (shards > 1) {
      shards /= 2;
    } else if (kernels > 16) {
      kernels /= 2;
    } else {
      break;
    }
  }
}

void arena_layout::place() {
  sites_begin = aligned(kernels * sizeof(detail::patch_state));
  site_shared_begin = sites_begin + aligned(std::size_t{sites} * sizeof(detail::patch_site));
  function_shared_begin = site_shared_begin + aligned(std::size_t{sites} * site_shared_bytes);
  shards_begin = function_shared_begin + aligned(std::size_t{kernels} * function_shared_bytes);
  shard_stride = aligned(std::size_t{sites} * site_shard_bytes + std::size_t{kernels} * function_shard_bytes);
  bytes = shards_begin + shard_stride * shards;
}

std::string arena::make(CUcontext context, Sanitizer_StreamHandle stream, block_sample const& blocks) {
  void* memory = nullptr;
  SanitizerResult result = with_->sanitizerAlloc_(context, &memory, layout_.bytes + alignof(detail::patch_state));
  if (result != SANITIZER_SUCCESS)
    return fmt::format("no {} MiB of the GPU's memory: {}", layout_.bytes >> 20, with_->explain(result));
  memory_ = aligned(reinterpret_cast<std::uint64_t>(memory));
  used_bytes_ = layout_.code_begin == 0 ? layout_.bytes : layout_.code_begin;
  // All states at once: so that no launch waits until its own is written.
  blocks_ = blocks;
  std::vector<detail::patch_state> states;
  for (std::uint32_t i = 0; i < layout_.kernels; ++i) states.push_back(state_of(i));
  result = with_->sanitizerMemset_(reinterpret_cast<void*>(memory_ + layout_.sites_begin), 0,
                                   layout_.bytes - layout_.sites_begin, stream);
  if (result == SANITIZER_SUCCESS) {
    result = with_->sanitizerMemcpyHostToDeviceAsync_(reinterpret_cast<void*>(memory_), states.data(),
                                                      states.size() * sizeof states[0], stream);
  }
  // Kernels of other streams may be the next to add to it.
  if (result == SANITIZER_SUCCESS) result = with_->sanitizerStreamSynchronize_(stream);
  if (result != SANITIZER_SUCCESS) {
    with_->sanitizerFree_(context, memory);
    memory_ = 0;
    return fmt::format("its memory cannot be prepared: {}", with_->explain(result));
  }
  return "";
}

detail::patch_state arena::state_of(std::uint32_t kernel) const {
  detail::patch_state state;
  state.sites = memory_ + layout_.sites_begin;
  state.site_shards = memory_ + layout_.shards_begin;
  state.site_shared = memory_ + layout_.site_shared_begin;
  state.function_shards = state.site_shards + std::size_t{layout_.sites} * layout_.site_shard_bytes +
                          std::size_t{kernel} * layout_.function_shard_bytes;
  state.function_shared = memory_ + layout_.function_shared_begin + std::size_t{kernel} * layout_.function_shared_bytes;
  state.shard_stride = static_cast<std::uint32_t>(layout_.shard_stride);
  state.shard_mask = layout_.shards - 1;
  if (!blocks_.is_everything()) state.shard_mask |= detail::patch_state::sampled_blocks;
  state.blocks = blocks_;
  state.place_shift = static_cast<std::uint32_t>(std::countl_zero(layout_.sites)) + 1;
  state.kernel = kernel;
  return state;
}

std::optional<code_region> arena::add_region(std::uint32_t kernel, std::uint64_t code, std::uint64_t code_bytes,
                                             Sanitizer_StreamHandle stream) {
  using detail::code_rows;
  std::uint64_t const instructions = (code_bytes + code_rows::instruction_bytes - 1) / code_rows::instruction_bytes;
  if (layout_.code_begin == 0 || instructions == 0) return {};
  auto const rows_log2 = static_cast<std::uint32_t>(std::bit_width(instructions - 1));
  if (rows_log2 > code_rows::max_rows_log2) return {};
  // Multiprocessors that share a counter wait for each other; a kernel takes a share of what is left, so that many have
  // some.
  std::size_t const begin = aligned(used_bytes_), left = layout_.bytes - std::min(begin, layout_.bytes);
  std::uint32_t shards_log2 = 5;
  while (shards_log2 > 0 && code_rows::bytes_for(rows_log2, shards_log2) > left / 32) --shards_log2;
  std::uint64_t const bytes = code_rows::bytes_for(rows_log2, shards_log2);
  if (bytes > left) return {};
  detail::patch_state const& state = region_states_.emplace_back(state_of(kernel));
  auto* const at = reinterpret_cast<void*>(memory_ + begin);
  if (with_->sanitizerMemcpyHostToDeviceAsync_(at, const_cast<detail::patch_state*>(&state), sizeof state, stream) !=
      SANITIZER_SUCCESS) {
    return {};
  }
  used_bytes_ = begin + bytes;
  return code_region{code_rows::make(memory_ + begin, rows_log2, shards_log2), begin, code, stream};
}

std::string arena::read(Sanitizer_StreamHandle stream) {
  std::vector<std::byte> copy(used_bytes_);
  SanitizerResult const result =
      with_->sanitizerMemcpyDeviceToHost_(copy.data(), reinterpret_cast<void*>(memory_), copy.size(), stream);
  if (result != SANITIZER_SUCCESS) return with_->explain(result);
  copy_ = std::move(copy);
  return "";
}

}  // namespace pasta::patch
