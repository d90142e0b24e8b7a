// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// How a tool's state lies in a GPU's memory where hooks collect it (instrument/cuda/hook.hpp): the same for the
/// compiler of the hook and for the program that reads it.
///
/// A row is in two places. Each shard has one with the executions and what is added up or merged under a lock; what
/// seldom changes is once for all shards, where the multiprocessors' caches keep it. All zeros at first.
#ifndef PASTA_INSTRUMENT_HOOK_LAYOUT_HPP
#define PASTA_INSTRUMENT_HOOK_LAYOUT_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <pasta/analysis/placement.hpp>
#include <pasta/instrument/states.hpp>

namespace pasta::detail {

/// A row of one state: of a site, or of a function. Offsets and sizes in bytes.
template <class State>
class row_layout {
  static constexpr std::size_t part_count = std::is_empty_v<State> ? 0 : part_count_v<State>;
  static constexpr std::uint32_t alignment = 8;
  static constexpr std::uint32_t aligned(std::size_t bytes) {
    return static_cast<std::uint32_t>((bytes + alignment - 1) / alignment * alignment);
  }

  struct places {
    std::uint32_t offsets[part_count + 1] = {};  // by part
    std::uint32_t counts = 0;
    std::uint32_t shard_lock = 0, shard_bytes = 0;
    std::uint32_t rare = 0, shared_lock = 0, shared_bytes = 0;
  };
  template <std::size_t... Part>
  static constexpr places place_parts(std::index_sequence<Part...>) {
    places made;
    std::uint32_t shard = 0, shared = 0;
    bool has_locked = false, has_rare = false;
    // Counts stand side by side, behind the executions: one addition of several lanes reaches them all.
    auto const place_count = [&]<std::size_t Index>() {
      if (!std::is_same_v<part_t<Index, State>, count>) return;
      made.offsets[Index] = alignment * ++made.counts;
    };
    (place_count.template operator()<Part>(), ...);
    if (part_count > 0) shard = alignment * (made.counts + 1);
    auto const place_other = [&]<std::size_t Index>() {
      using part_type = part_t<Index, State>;
      if (std::is_same_v<part_type, count>) return;
      std::uint32_t const bytes = aligned(sizeof(part_type));
      switch (placement_v<part_type>) {
        case placement::registers:
          made.offsets[Index] = shared;
          shared += bytes;
          break;
        case placement::memory:
          made.offsets[Index] = shard;
          shard += bytes;
          has_locked = true;
          break;
        case placement::rare:
          has_rare = true;
          break;
      }
    };
    (place_other.template operator()<Part>(), ...);
    if (has_locked) made.shard_lock = shard, shard += alignment;
    if (has_rare) {
      made.rare = shared;
      shared += aligned(sizeof(rare_parts<State>));
      made.shared_lock = shared;
      shared += alignment;
    }
    made.shard_bytes = shard;
    made.shared_bytes = shared;
    return made;
  }
  static constexpr places place_all() {
    if constexpr (part_count == 0) {
      return {};
    } else {
      return place_parts(std::make_index_sequence<part_count>{});
    }
  }
  static constexpr places placed = place_all();

 public:
  /// Fields that are counts; the n-th lies at 8 * (n + 1) of a shard's row, the executions at 0.
  static constexpr std::uint32_t count_fields = placed.counts;
  static constexpr std::uint32_t shard_lock = placed.shard_lock, shared_lock = placed.shared_lock;
  /// Where the rare_parts<State> are in the shared row.
  static constexpr std::uint32_t rare = placed.rare;
  static constexpr std::uint32_t shard_bytes = placed.shard_bytes, shared_bytes = placed.shared_bytes;

  template <std::size_t Part>
  static constexpr std::uint32_t offset_v = placed.offsets[Part];
  template <std::size_t Part>
  static constexpr bool is_shared_v =
      placement_v<part_t<Part, State>> != placement::memory && !std::is_same_v<part_t<Part, State>, count>;
};

/// A tool's rows: what a hook writes to, and one for each function with the states that belong to no site.
template <class Tool>
struct hook_layout {
  using site = row_layout<typename Tool::site_state>;
  using kernel = row_layout<typename Tool::kernel_state>;
  using launch = row_layout<typename Tool::launch_state>;
  using program = row_layout<typename Tool::program_state>;

  // A sector of memory is not shared by two rows that would fit in one each.
  static constexpr std::uint32_t padded(std::uint32_t bytes) {
    return bytes <= 8 ? bytes : bytes <= 16 ? 16 : (bytes + 31) / 32 * 32;
  }
  static constexpr std::uint32_t site_shard_bytes = padded(std::max(site::shard_bytes, std::uint32_t{8}));
  static constexpr std::uint32_t site_shared_bytes = padded(site::shared_bytes);
  /// In a function's row: kernel, launch, program, shadow.
  static constexpr std::uint32_t launch_shard = kernel::shard_bytes, launch_shared = kernel::shared_bytes;
  static constexpr std::uint32_t program_shard = launch_shard + launch::shard_bytes;
  static constexpr std::uint32_t program_shared = launch_shared + launch::shared_bytes;
  static constexpr std::uint32_t function_shard_bytes = padded(program_shard + program::shard_bytes);
  /// Of a tool with shadow bits: the address of the function's detail::shadow_view, or 0.
  static constexpr std::uint32_t shadow_shared = program_shared + program::shared_bytes;
  static constexpr std::uint32_t function_shared_bytes = padded(shadow_shared + (has_shadow_v<Tool> ? 8 : 0));
};

/// What a row holds. @param shard, shared the two places of the row; shared may be null: only what the shard has
template <class State>
State read_row(std::byte const* shard, std::byte const* shared) {
  State state{};
  if constexpr (!std::is_empty_v<State>) {
    using layout = row_layout<State>;
    [&]<std::size_t... Part>(std::index_sequence<Part...>) {
      auto const read = [&]<std::size_t Index>() {
        auto& into = part<Index>(state);
        if constexpr (placement_v<part_t<Index, State>> == placement::rare) {
          if (shared == nullptr) return;
          rare_parts<State> kept;
          std::memcpy(static_cast<void*>(&kept), shared + layout::rare, sizeof kept);
          into = kept.template get<Index>();
        } else {
          std::byte const* const from = layout::template is_shared_v<Index> ? shared : shard;
          if (from != nullptr)
            std::memcpy(static_cast<void*>(&into), from + layout::template offset_v<Index>, sizeof into);
        }
      };
      (read.template operator()<Part>(), ...);
    }
    (std::make_index_sequence<part_count_v<State>>{});
  }
  return state;
}

/// A site's executions [lanes], from its row in a shard.
inline std::uint64_t read_executions(std::byte const* shard) {
  std::uint64_t lanes = 0;
  std::memcpy(&lanes, shard, sizeof lanes);
  return lanes;
}

}  // namespace pasta::detail
#endif
