// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the collector knows of contexts, modules and functions. Nothing here is ever destroyed: launches go on until
/// the process ends.
#ifndef PASTA_TOOLS_PTX_RUNTIME_RECORDS_HPP
#define PASTA_TOOLS_PTX_RUNTIME_RECORDS_HPP

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <pasta/session/block_tally.hpp>
#include <pasta/vendor/launch_shape.hpp>
#include <string>
#include <vector>

#include "kept_memory.hpp"
#include "launch_group.hpp"
#include "launch_sampler.hpp"
#include "shadow_memory.hpp"

namespace pasta::ptx {

using collecting::kept_copy;
using collecting::memory_layout;

/// A launch in a stream beside that which switches: what it adds may go to any bin that there is meanwhile.
struct stranger {
  function_record* function = nullptr;
  launch_group* group = nullptr;  ///< null: it is to be left out
  lane const* on = nullptr;
  std::uint32_t number = 0;  ///< in the stream; 0: the driver has not taken it yet
  bool is_stray = false;     ///< it is to be left out, and collecting began while it may run
  std::vector<launch_bin*> bins;
};

/// From one switch to the next: where kernels add to. Switches happen in their streams' order.
struct epoch {
  launch_bin* bin = nullptr;  ///< null: nowhere
  lane const* on = nullptr;   ///< the stream that switched; null: nothing runs yet
  std::uint32_t begin = 0;    ///< once this launch of the stream has ended, the switch has happened
  std::uint32_t last = 0;     ///< the last launch in it
};

/// An instrumented module in a context, with the memory that its kernels add to.
struct attachment : memory_layout {
  CUmodule module = nullptr;
  CUdeviceptr state = 0;  ///< the module's pasta_state_<id>
  std::size_t state_bytes = 0;
  bool is_gone = false;  ///< its memory was given back
  struct slab {
    CUdeviceptr memory = 0;
    std::size_t sets = 0;
  };
  std::vector<slab> slabs;
  std::map<std::size_t, shadow_keeper::kernel*> shadows;  ///< [function], of a tool with shadow bits
  // What follows is guarded by the results' lock.
  std::map<std::size_t, touched_memory> touched;  ///< [function], as last read
  // For launches that are kept apart.
  std::vector<CUdeviceptr> free;  ///< sets, zeroed
  std::deque<launch_bin> bins;    ///< the first is for all that is not kept apart
  std::map<std::string, launch_bin*> of_range;
  std::deque<launch_bin*> once;  ///< those of single launches that have memory, in order
  std::deque<epoch> epochs;      ///< the last is the present one; before it those that may not be over
  std::list<stranger> strangers;
  std::uint64_t launching = 0;  ///< the thread that has switched, and not launched yet
  std::atomic<bool> is_switching{false};
  std::atomic<std::uint64_t> plain_stream{0};  ///< of launches before it switched: 0 none, 1 << 63 several

  bool has_shared_word() const { return state_bytes >= 48; }
  bool has(CUdeviceptr address) const {
    for (slab const& each : slabs) {
      if (address >= each.memory && address < each.memory + each.sets * set_bytes()) return true;
    }
    return false;
  }
};

struct context_state {
  std::uint32_t uid = 0;  ///< CUPTI's: unique in the process, where handles are used again
  CUcontext handle = nullptr;
  CUdevice device = 0;
  std::string device_name;
  std::uint32_t most_shards = 1;
  CUstream stream = nullptr;  ///< own: waits for none of the program's, nor they for it
  std::size_t left_bytes = 0;
  std::atomic<bool> is_prepared{false};
  bool can_switch = false;  ///< its streams can be told to write to a module's state
  pasta::ptx::lanes lanes;  ///< guarded by the results' lock
  std::list<attachment> attachments;
  std::unique_ptr<shadow_keeper> shadow;         ///< of a tool with shadow bits, from its first launch on
  std::set<std::string> shadow_notes;            ///< as last read; guarded by the results' lock
  std::atomic<std::uint64_t> memory_version{1};  ///< another one when functions must be told where their bits are
  std::string lost_because;                      ///< a kernel went wrong; empty: all is well
  std::atomic<std::int64_t> next_read{0};        ///< when the program's waiting may be used again to read; steady clock
  std::atomic<bool> is_gone{false};              ///< destroyed
};

/// A function in a context, as it is launched.
struct function_record {
  std::string name;  ///< as in the module
  context_state* context = nullptr;
  attachment* where = nullptr;  ///< null: nothing counts in it
  std::size_t function = 0;     ///< index in the table's functions
  std::string why_not;          ///< nothing counts in it: half a line

  std::atomic<std::uint64_t> memory_version{0};  ///< of the context, when it was told where its bits are

  bool is_excluded = false;  ///< it was not chosen: all its launches are left out
  launch_group plain;        ///< launches that are not kept apart
  // Guarded by the results' lock.
  std::deque<launch_group> apart;
  std::map<std::string, launch_group*> of_range;
  collecting::launch_sampler sampler;
  std::map<std::string, sample_count> sampled;  ///< [range]
};

/// A launch between the begin and the end of the driver's call that makes it.
struct launch_under_way {
  function_record* function = nullptr;
  launch_group* group = nullptr;
  std::uint64_t count = 0;  ///< a graph may have several of one function
  bool is_left_out = false;
  sample_count* sampled = nullptr;  ///< it is of a sample
  std::uint32_t part = 0;           ///< in which it is to be
  bool is_refused = false;          ///< the driver did not take the order to switch for it
  attachment* at = nullptr;         ///< in which its stream switches
  stranger* beside = nullptr;       ///< or what it is beside that stream
};

}  // namespace pasta::ptx
#endif
