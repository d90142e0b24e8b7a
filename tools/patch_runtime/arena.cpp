// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "arena.hpp"

#include <fmt/format.h>

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
  SanitizerResult result = with_->sanitizerAlloc_(context, &memory, layout_.bytes);
  if (result != SANITIZER_SUCCESS)
    return fmt::format("no {} MiB of the GPU's memory: {}", layout_.bytes >> 20, with_->explain(result));
  auto const begin = reinterpret_cast<std::uint64_t>(memory);
  // All states at once: so that no launch waits until its own is written.
  std::vector<detail::patch_state> states(layout_.kernels);
  for (std::uint32_t i = 0; i < layout_.kernels; ++i) {
    detail::patch_state& state = states[i];
    state.sites = begin + layout_.sites_begin;
    state.site_shards = begin + layout_.shards_begin;
    state.site_shared = begin + layout_.site_shared_begin;
    state.function_shards = state.site_shards + std::size_t{layout_.sites} * layout_.site_shard_bytes +
                            std::size_t{i} * layout_.function_shard_bytes;
    state.function_shared = begin + layout_.function_shared_begin + std::size_t{i} * layout_.function_shared_bytes;
    state.shard_stride = static_cast<std::uint32_t>(layout_.shard_stride);
    state.shard_mask = layout_.shards - 1;
    if (!blocks.is_everything()) state.shard_mask |= detail::patch_state::sampled_blocks;
    state.blocks = blocks;
    state.place_shift = static_cast<std::uint32_t>(std::countl_zero(layout_.sites)) + 1;
    state.kernel = i;
  }
  char* const behind = static_cast<char*>(memory) + layout_.sites_begin;
  result = with_->sanitizerMemset_(behind, 0, layout_.bytes - layout_.sites_begin, stream);
  if (result == SANITIZER_SUCCESS) {
    result = with_->sanitizerMemcpyHostToDeviceAsync_(memory, states.data(), states.size() * sizeof states[0], stream);
  }
  // Kernels of other streams may be the next to add to it.
  if (result == SANITIZER_SUCCESS) result = with_->sanitizerStreamSynchronize_(stream);
  if (result != SANITIZER_SUCCESS) {
    with_->sanitizerFree_(context, memory);
    return fmt::format("its memory cannot be prepared: {}", with_->explain(result));
  }
  memory_ = begin;
  return "";
}

std::string arena::read(Sanitizer_StreamHandle stream) {
  std::vector<std::byte> copy(layout_.bytes);
  SanitizerResult const result =
      with_->sanitizerMemcpyDeviceToHost_(copy.data(), reinterpret_cast<void*>(memory_), copy.size(), stream);
  if (result != SANITIZER_SUCCESS) return with_->explain(result);
  copy_ = std::move(copy);
  return "";
}

}  // namespace pasta::patch
