// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the collector knows of devices, modules and kernels. Nothing here is ever destroyed: launches go on until the
/// process ends.
#ifndef PASTA_TOOLS_HIP_RUNTIME_RECORDS_HPP
#define PASTA_TOOLS_HIP_RUNTIME_RECORDS_HPP

#include <hip/hip_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <pasta/instrument/ptx/module_state.hpp>
#include <pasta/session/block_tally.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kept_memory.hpp"
#include "launch_counts.hpp"
#include "launch_sampler.hpp"
#include "modules.hpp"
#include "shadow_memory.hpp"

namespace pasta::hip_runtime {

/// What was read of a launch that is kept apart.
struct apart_launch {
  std::uint64_t queue = 0, dispatch = 0;  ///< as the hardware calls it
  std::size_t function = 0;               ///< index in the table's functions
  collecting::kept_copy kept;
};

/// Which launches of a kernel a report shows as one, beside those of no range: the annotated ranges, and which part of
/// a sample.
using launch_key = std::pair<std::string, std::uint32_t>;

/// A set of memory for launches that are kept apart from others.
struct other_set {
  launch_key key;
  std::byte* memory = nullptr;         ///< on the device; null: it was given back
  collecting::kept_copy kept;          ///< guarded by the results' lock
  ptx::module_state* image = nullptr;  ///< what a stream is to copy to the code's state; lives on
};

/// Launches that were not followed were made in more than one stream.
inline constexpr std::uintptr_t several_streams = ~std::uintptr_t{0};

/// What a stream did last in an attachment.
struct stream_mark {
  hipEvent_t last = nullptr;  ///< behind its last launch
  bool is_open = false;       ///< there may be launches of it that have not ended
};

/// A part of a module's code on a device, with the memory that its kernels add to.
struct attachment : collecting::memory_layout {
  module_record* module = nullptr;
  void* state = nullptr;        ///< the code's pasta_state_<id>
  std::byte* memory = nullptr;  ///< a set, on the device
  bool is_gone = false;         ///< its memory was given back
  collecting::kept_copy kept;   ///< guarded by the results' lock

  // Where launches are kept apart.
  collecting::memory_layout of_launch;  ///< a launch's set: one shard
  std::byte* launches = nullptr;        ///< on the device: a launch_sets, its entries, the sets
  std::size_t launch_set_count = 0;     ///< a power of two
  std::vector<apart_launch> apart;      ///< in the order of their queues' numbers; guarded by the results' lock

  std::size_t launch_bytes() const;  ///< of all that is at `launches`

  // Where launches are kept apart by range, or left out. Guarded by the switches' lock, but for the sets' copies.
  std::deque<other_set> others;
  ptx::module_state* images = nullptr;    ///< two: nobody collects; what there is for all
  other_set* present = nullptr;           ///< where kernels add to; null: to what there is for all, or nowhere
  bool is_off = false;                    ///< nowhere
  std::atomic<bool> is_switching{false};  ///< what its streams launch is followed
  std::map<hipStream_t, stream_mark> streams;
  std::atomic<std::uintptr_t> plain_stream{0};  ///< of launches before: 0 none, a stream + 1, or several_streams

  // Of a tool with shadow bits. Guarded by the attaching's lock; what was read, by the results' too.
  struct shadow {
    shadow_keeper::kernel* kernel = nullptr;
    std::uint64_t version = 0;  ///< of the device's memory, when the function's row was told where its bits are
  };
  std::map<std::pair<other_set const*, std::size_t>, shadow> shadows;  ///< [set, null for all's; function]
  /// [bits]: the range that they are of. @param function of one; else of all
  std::map<shadow_keeper::kernel*, std::string> shadow_kernels(std::optional<std::size_t> function = {}) const;
};

struct device_record {
  int number = 0;
  std::string name, target;  ///< "AMD Instinct MI210", "gfx90a:sramecc+:xnack-"
  std::uint32_t compute_units = 1, most_shards = 1;
  hipStream_t stream = nullptr;  ///< own: waits for none of the program's, nor they for it
  std::size_t left_bytes = 0;
  std::list<attachment> attachments;
  std::unique_ptr<shadow_keeper> shadow;                  ///< of a tool with shadow bits, from its first launch on
  std::list<std::unique_ptr<shadow_keeper>> old_shadows;  ///< whose memory went with the device's reset
  std::atomic<std::uint64_t> memory_version{1};  ///< another one when functions must be told where their bits are
  std::string lost_because;                      ///< a kernel went wrong; empty: all is well
  std::atomic<std::int64_t> next_read{0};        ///< when the program's waiting may be used again to read; steady clock
};

/// Launches of a kernel that are kept apart from others.
struct launch_group : collecting::launch_counts {
  std::uint64_t left_out = 0;  ///< of them, not to be analysed
};

/// A kernel on a device, as it is launched.
struct kernel_record : collecting::launch_counts {
  std::string name;  ///< as in the module
  device_record* device = nullptr;
  attachment* where = nullptr;  ///< null: nothing counts in it
  std::size_t function = 0;     ///< index in the table's functions
  /// Beside `where` and `function`, where several objects have it (a template's instance): one of them is what runs.
  std::vector<std::pair<attachment*, std::size_t>> others;
  std::string part_why_not;                      ///< a part of its module's code was not attached: half a line
  std::string why_not;                           ///< nothing counts in it: half a line
  bool is_excluded = false;                      ///< it was not chosen
  std::atomic<std::uint64_t> memory_version{0};  ///< of the device, when its code was told where its bits are
  // Guarded by the results' lock.
  std::uint64_t left_out = 0;  ///< of the launches of no range
  std::map<launch_key, launch_group> groups;
  std::map<std::string, sample_count> sampled;  ///< [range]
  collecting::launch_sampler sampler;           ///< guarded by the switches' lock
  /// Of launches that are kept apart: number in the process and shape, in order. Guarded by the results' lock.
  std::vector<std::pair<std::uint64_t, launch_shape>> each;
};

}  // namespace pasta::hip_runtime
#endif
