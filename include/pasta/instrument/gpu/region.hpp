// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What lies in a GPU's memory for one kernel: the table of its sites, and what its threads collect. All zeros at
/// first. For vendors whose lanes go in step; uses the vendor's neutral headers alone.
#ifndef PASTA_INSTRUMENT_GPU_REGION_HPP
#define PASTA_INSTRUMENT_GPU_REGION_HPP

#include <pasta/analysis/bits.hpp>
#include <pasta/analysis/gpu/merge.hpp>
#include <pasta/analysis/shadow_bits.hpp>
#include <pasta/instrument/choices.hpp>

namespace pasta::detail {

inline constexpr std::uint32_t row_count = 128, no_row = ~0u;

/// Which site has a row: a site_key's words. Both are set once, by compare and exchange.
struct alignas(16) site_entry {
  device_word packed, file;
};

/// The row of a site, which it has from now on. All lanes that are here ask for the same.
/// @return no_row if all are taken
// The first place is a constant where the site is one, and is most often the site's own.
PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t find_row(site_entry* entries, site_key const& key) {
  auto const file = static_cast<device_word>(reinterpret_cast<std::uintptr_t>(key.file));
  auto row = static_cast<std::uint32_t>(mix(key.packed) % row_count);
  PASTA_NO_UNROLL
  for (std::uint32_t tries = 0; tries < row_count; ++tries, row = (row + 1) % row_count) {
    site_entry& entry = entries[row];
    // Words are written once, so an old value can only be zero.
    device_word seen = entry.packed, seen_file = entry.file;
    if (seen == 0) seen = simt::atomic_compare_exchange(entry.packed, 0, key.packed);
    if (seen != 0 && seen != key.packed) continue;
    if (seen_file == 0) seen_file = simt::atomic_compare_exchange(entry.file, 0, file);
    if (seen_file == 0 || seen_file == file) return row;
  }
  return no_row;
}

template <class List>
struct region_of;
template <class... Tools>
struct region_of<type_list<Tools...>> {
  /// What is collected at a site, but for what is counted.
  struct row {
    state_tuple<shared_parts<typename Tools::site_state>...> states;
    std::uint32_t lock;
  };
  /// What some of the blocks collect. Counters lie side by side.
  struct shard {
    device_word executions[row_count];  // [lanes]
    row rows[row_count];
    state_tuple<shared_parts<typename Tools::kernel_state>...> kernel;
    state_tuple<shared_parts<typename Tools::launch_state>...> launch;
    state_tuple<shared_parts<typename Tools::program_state>...> program;
    std::uint32_t lock;
  };
  struct rare_row {
    state_tuple<rare_parts<typename Tools::site_state>...> states;
    std::uint32_t lock;
  };
  struct head {
    device_word dropped;  // lane events of sites that found no row
    site_entry entries[row_count];
    rare_row rare[row_count];
  };

  /// What a kernel is given, besides its own parameters.
  struct setup {
    head* first;
    shard* shards;
    std::uint32_t shard_mask;  // number of shards - 1; a power of two
    typename states_of<type_list<Tools...>>::options options;
    [[no_unique_address]] launch_shadow<any_shadow_v<type_list<Tools...>>> shadow{};
  };

  static constexpr std::size_t size_bytes(std::uint32_t shard_count) {
    return shards_offset() + shard_count * sizeof(shard);
  }
  static constexpr std::size_t shards_offset() { return (sizeof(head) + 255) / 256 * 256; }
};

}  // namespace pasta::detail
#endif
