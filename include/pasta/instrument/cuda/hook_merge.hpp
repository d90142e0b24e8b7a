// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Merges what a handler added into a row of the GPU's memory (instrument/hook_layout.hpp). Device code, inlined.
#ifndef PASTA_INSTRUMENT_CUDA_HOOK_MERGE_HPP
#define PASTA_INSTRUMENT_CUDA_HOOK_MERGE_HPP

#include <pasta/analysis/cuda/shared_merge.hpp>
#include <pasta/instrument/hook_layout.hpp>

namespace pasta::detail {

template <class State>
struct row_merge {
  using layout = row_layout<State>;
  using bytes = unsigned char*;

  /// Whether merging the same once more changes nothing but counts.
  static constexpr bool is_repeatable = [] {
    bool all = true;
    if constexpr (!std::is_empty_v<State>) {
      [&]<std::size_t... Part>(std::index_sequence<Part...>) {
        ((all &= placement_v<part_t<Part, State>> != placement::memory), ...);
      }
      (std::make_index_sequence<part_count_v<State>>{});
    }
    return all;
  }();

  /// Adds the counts. @param executions 0: these are of no site
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void merge_counts(lane_mask lanes, bytes shard, State const& added,
                                                            std::uint32_t executions) {
    if constexpr (std::is_empty_v<State>) {
      if (executions != 0 && warp::is_leader(lanes)) add_word(words(shard), executions);
    } else {
      if (layout::count_fields > 0 || executions != 0) add_counts(lanes, words(shard), added, executions);
    }
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void merge_others(lane_mask lanes, bytes shard, bytes shared, State& added) {
    if constexpr (!std::is_empty_v<State>) merge_other_fields(lanes, shard, shared, added);
  }

 private:
  PASTA_DEVICE PASTA_ALWAYS_INLINE static device_word* words(bytes at) { return reinterpret_cast<device_word*>(at); }

  // Most often one lane speaks for all. Then lanes side by side add one field each, which is one transaction of the
  // memory; else each lane adds its own.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void add_counts(lane_mask lanes, device_word* row, State const& added,
                                                          std::uint32_t executions) {
    constexpr std::uint32_t fields = layout::count_fields;
    device_word values[fields == 0 ? 1 : fields] = {};
    for_each_part<State>([&]<std::size_t Part>() {
      if constexpr (std::is_same_v<part_t<Part, State>, count>) {
        values[layout::template offset_v<Part> / 8 - 1] = part<Part>(added).value();
      }
    });
    std::uint32_t low = 0, high = 0;
    for (device_word const value : values) {
      low |= static_cast<std::uint32_t>(value), high |= static_cast<std::uint32_t>(value >> 32);
    }
    lane_mask const speakers = warp::ballot(lanes, (low | high) != 0);
    std::uint32_t const rank = warp::count(lanes & ((1u << warp::lane()) - 1));
    bool const is_simple =
        (speakers & (speakers - 1)) == 0 && warp::count(lanes) > fields && !warp::any(lanes, high != 0);
    if (is_simple) {
      std::uint32_t mine = rank == 0 ? executions : 0;
      std::uint32_t const speaker = speakers == 0 ? warp::lowest(lanes) : warp::lowest(speakers);
      for (std::uint32_t i = 0; i < fields; ++i) {
        std::uint32_t const value = warp::detail::shuffle(lanes, static_cast<std::uint32_t>(values[i]), speaker);
        if (rank == i + 1) mine = value;
      }
      if (mine != 0) add_word(row + rank, mine);
    } else {
      if (executions != 0 && rank == 0) add_word(row, executions);
      for (std::uint32_t i = 0; i < fields; ++i) {
        if (values[i] != 0) add_word(row + i + 1, values[i]);
      }
    }
  }

  PASTA_DEVICE PASTA_ALWAYS_INLINE static void merge_other_fields(lane_mask lanes, bytes shard, bytes shared,
                                                                  State& added) {
    for_each_part<State>([&]<std::size_t Part>() {
      using field = part_t<Part, State>;
      if constexpr (!std::is_same_v<field, count> && placement_v<field> != placement::rare) {
        bytes const into = (layout::template is_shared_v<Part> ? shared : shard) + layout::template offset_v<Part>;
        merge_together(lanes, reinterpret_cast<field*>(into), part<Part>(added),
                       reinterpret_cast<unsigned*>(shard + layout::shard_lock));
      }
    });
  }
};

}  // namespace pasta::detail
#endif
