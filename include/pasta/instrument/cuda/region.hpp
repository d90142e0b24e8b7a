// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What lies in a GPU's memory for one kernel: the table of its sites, and what its threads collect. All zeros at
/// first.
#ifndef PASTA_INSTRUMENT_CUDA_REGION_HPP
#define PASTA_INSTRUMENT_CUDA_REGION_HPP

#include <pasta/analysis/cuda/shared_merge.hpp>
#include <pasta/analysis/cuda/site_locator.hpp>
#include <pasta/analysis/shadow_bits.hpp>
#include <pasta/instrument/choices.hpp>
#include <pasta/instrument/cuda/patterns.hpp>

namespace pasta::detail {

// Whether the tools' options ask for periods that are served.
template <class... Tools>
bool are_periods_served(type_list<Tools...>, typename states_of<type_list<Tools...>>::options const& options) {
  bool are_served = true;
  for_each_tool(type_list<Tools...>{}, [&]<std::size_t Index, class Tool>() {
    if constexpr (handles_v<Tool, memory_access> && has_address_period<Tool>) {
      std::uint32_t const period = Tool::address_period(get_state<Index>(options));
      are_served = are_served && period > 0 && alike_period % period == 0;
    }
  });
  return are_served;
}

template <class List>
struct region_of;
template <class... Tools>
struct region_of<type_list<Tools...>> {
  static constexpr bool has_alike_requests = has_alike_requests_v<type_list<Tools...>>;
  /// Whether threads add up fields of site states in registers.
  static constexpr bool has_site_parts =
      !has_alike_requests && (has_register_parts<typename Tools::site_state>() || ...);
  /// Whether what a warp did is told by how often it executed each site.
  static constexpr bool has_patterns = !has_site_parts;

  /// What is collected at a site, but for what is counted.
  struct row {
    state_tuple<shared_parts<typename Tools::site_state>...> states;
    unsigned lock;
  };
  /// What some of the GPU's multiprocessors collect. Counters lie side by side: a warp adds to several at once.
  struct shard {
    device_word executions[row_count];                            // [lanes]
    device_word pattern_lanes[has_patterns ? pattern_count : 1];  // [lanes]
    row rows[row_count];
    state_tuple<shared_parts<typename Tools::kernel_state>...> kernel;
    state_tuple<shared_parts<typename Tools::launch_state>...> launch;
    state_tuple<shared_parts<typename Tools::program_state>...> program;
    unsigned lock;
  };
  /// How often each site had each of the requests that are alike, from the same multiprocessors. Settled before the
  /// region is read (settle.hpp).
  struct request_counts {
    device_word in_order[alike_period][row_count];  // layout 0, by where they begin
    device_word others[layout_count];               // by layout
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
    std::conditional_t<has_patterns, pattern_table, device_word> patterns;
    std::conditional_t<has_alike_requests, layout_table, device_word> layouts;
  };

  /// The region as a kernel gets it.
  struct view {
    head* first;
    shard* shards;
    request_counts* requests;  // as many as shards
    std::uint32_t shard_mask;  // number of shards - 1; a power of two
    lane_mask counted_lanes;   // of alike requests: all, or none where the tools' options do not allow it
  };

  /// What a kernel is given, besides its own parameters.
  struct setup {
    view where;
    typename states_of<type_list<Tools...>>::options options;
    [[no_unique_address]] launch_shadow<any_shadow_v<type_list<Tools...>>> shadow{};
  };

  static constexpr std::size_t size_bytes(std::uint32_t shard_count) {
    return requests_offset(shard_count) + (has_alike_requests ? shard_count * sizeof(request_counts) : 0);
  }
  static constexpr std::size_t shards_offset() { return aligned(sizeof(head)); }
  static constexpr std::size_t requests_offset(std::uint32_t shard_count) {
    return aligned(shards_offset() + shard_count * sizeof(shard));
  }

 private:
  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
};

}  // namespace pasta::detail
#endif
