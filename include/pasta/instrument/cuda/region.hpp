// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What lies in a GPU's memory for one kernel: the table of its sites, and what its threads collect. All zeros at
/// first.
#ifndef PASTA_INSTRUMENT_CUDA_REGION_HPP
#define PASTA_INSTRUMENT_CUDA_REGION_HPP

#include <pasta/analysis/cuda/shared_merge.hpp>
#include <pasta/analysis/cuda/site_locator.hpp>
#include <pasta/instrument/site.hpp>
#include <pasta/instrument/states.hpp>

namespace pasta::detail {

// How many fields of a state are added up in registers.
template <class State, std::size_t... Part>
consteval std::size_t count_register_parts(std::index_sequence<Part...>) {
  return (std::size_t{register_parts<State>::template has_v<Part>} + ... + 0);
}
template <class State>
inline constexpr std::size_t register_part_count_v =
    count_register_parts<State>(std::make_index_sequence<part_count_v<State>>{});

template <class List>
struct region_of;
template <class... Tools>
struct region_of<type_list<Tools...>> {
  /// Most warps add the same to a site. What they add is kept once, and counted: one addition to memory instead of one
  /// for each field. Words are stored plus one, so that a word that is not written yet is never taken for one that is.
  static constexpr std::size_t word_count = 1 + (register_part_count_v<typename Tools::site_state> + ... + 0);
  static constexpr std::uint32_t known_count = word_count > 1 ? 4 : 0;
  struct known_sum {
    device_word words[word_count];  // executions, then the tools' fields in registers
  };

  /// What is collected at a site, but for what is counted.
  struct row {
    state_tuple<shared_parts<typename Tools::site_state>...> states;
    unsigned lock;
  };
  /// What some of the GPU's multiprocessors collect. Counters lie side by side: a warp adds to several at once.
  struct shard {
    device_word executions[row_count];                                // [lanes]
    device_word times[known_count > 0 ? known_count : 1][row_count];  // of each known sum
    row rows[row_count];
    state_tuple<shared_parts<typename Tools::kernel_state>...> kernel;
    state_tuple<shared_parts<typename Tools::launch_state>...> launch;
    state_tuple<shared_parts<typename Tools::program_state>...> program;
    unsigned lock;
  };
  struct rare_row {
    state_tuple<rare_parts<typename Tools::site_state>...> states;
    unsigned lock;
  };
  struct head {
    device_word dropped;  // lane events of sites that found no row
    device_word mismatched;
    site_entry entries[row_count];
    rare_row rare[row_count];
    known_sum known[row_count][known_count > 0 ? known_count : 1];
  };

  /// The region as a kernel gets it.
  struct view {
    head* first;
    shard* shards;
    std::uint32_t shard_mask;  // number of shards - 1; a power of two
    bool has_default_options;  // of all tools
  };

  static constexpr std::size_t size_bytes(std::uint32_t shard_count) {
    return shards_offset() + shard_count * sizeof(shard);
  }
  static constexpr std::size_t shards_offset() { return (sizeof(head) + 255) / 256 * 256; }
};

}  // namespace pasta::detail
#endif
