// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What an instrumented module has in a GPU's memory, and how it is found there.
///
/// Each module has two variables of its own, whose names end with its id, a hash of the PTX and the tools in 32
/// hexadecimal digits. Both are weak: objects made from the same text share them when they are linked.
///
///     .weak .global .align 16 .u64 pasta_state_<id>[6];   a module_state
///     .weak .global .align 8 .u64 pasta_sites_<id>[n];    the text of ptx/site_table.hpp, zeros behind
///
/// `pasta_state_` refers to `pasta_sites_`, so that linkers keep it.
#ifndef PASTA_INSTRUMENT_PTX_MODULE_STATE_HPP
#define PASTA_INSTRUMENT_PTX_MODULE_STATE_HPP

#include <cstdint>
#include <string_view>

namespace pasta::ptx {

inline constexpr std::string_view state_prefix = "pasta_state_", sites_prefix = "pasta_sites_";

/// As the kernels read it. All zeros as the module is loaded: nobody collects, and nothing is counted. It is written
/// before a kernel starts, and left alone while one runs.
///
/// A counter is 64 bits wide and wraps; counter `i` of shard `s` lies at shards + s * shard_bytes + i * 8. Behind the
/// counters are the rows of tools (the table says where), and others at `shared`. A multiprocessor adds to shard
/// (%smid & shard_mask).
struct module_state {
  std::uint64_t shards;       ///< address of the first shard, aligned to 128 bytes; 0: nobody collects
  std::uint32_t shard_mask;   ///< number of shards - 1; a power of two
  std::uint32_t shard_bytes;  ///< from one shard to the next: at least the table's "shard_bytes", a multiple of 128
  std::uint64_t table_bytes;  ///< of the site table, as text or packed
  std::uint64_t table;        ///< its address
  std::uint64_t shared;       ///< address of what there is once: the table's "shared_bytes", aligned to 128 bytes
  std::uint64_t launches;  ///< address of a launch_sets (instrument/launch_sets.hpp); 0: launches are not kept apart.
                           ///< On AMD GPUs alone
};
static_assert(sizeof(module_state) == 48);

inline constexpr std::uint32_t counter_bytes = 8;

/// Memory of a GPU for what is collected in one context [bytes].
inline constexpr std::uint64_t most_collected_bytes = std::uint64_t{16} << 20;

}  // namespace pasta::ptx
#endif
