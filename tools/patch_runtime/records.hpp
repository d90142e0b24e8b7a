// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the collector of the patch route knows of contexts, kernels and launches. Nothing here is ever destroyed:
/// launches go on until the process ends.
#ifndef PASTA_TOOLS_PATCH_RUNTIME_RECORDS_HPP
#define PASTA_TOOLS_PATCH_RUNTIME_RECORDS_HPP

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <pasta/session/block_tally.hpp>
#include <pasta/vendor/launch_shape.hpp>
#include <string>
#include <utility>
#include <vector>

#include "arena.hpp"
#include "launch_sampler.hpp"
#include "modules.hpp"
#include "shadow_memory.hpp"

namespace pasta::patch {

/// Where what a launch touches is noted, of a tool with shadow bits.
struct shadow_record {
  shadow_keeper::kernel* kernel = nullptr;
  std::uint64_t memory_version = 0;  ///< of the context, when it was told where its bits are
};

/// Launches of a kernel that a report shows as one.
struct launch_group {
  std::string range;                         ///< the annotated ranges that it is of
  std::uint32_t part = 0;                    ///< of a sample
  std::optional<std::uint64_t> launch;       ///< the number of the one launch that it is
  std::optional<std::uint32_t> state;        ///< number of what its patches add to; empty: nothing was analysed yet
  std::optional<std::uint32_t> graph_state;  ///< the same of its launches in graphs; other kernels add to it too
  code_region const* region = nullptr;       ///< rows of its code; null: it has none
  shadow_record shadow;                      ///< of its launches by calls
  sample_count sampled;                      ///< of a launch by itself whose blocks are sampled
  launch_shape first;                        ///< of the launches
  bool has_one_shape = true;
  std::uint64_t launches = 0;
  std::uint64_t left_out = 0;   ///< of them, not to be analysed
  std::uint64_t delivered = 0;  ///< of them, launches whose results were read
  std::uint64_t unpatched = 0;  ///< of them, launches that could not be analysed
};

struct context_record {
  explicit context_record(sanitizer const& with, tool_patches const& of) : modules(with), memory(with, of) {}

  CUcontext handle = nullptr;
  CUdevice device = 0;
  Sanitizer_StreamHandle stream = nullptr;  ///< the context's default stream
  module_map modules;
  arena memory;
  std::map<std::string, std::uint32_t> graph_states;          ///< by annotated range
  std::deque<std::pair<std::uint32_t, code_region>> regions;  ///< with the number of the kernel's state
  std::unique_ptr<shadow_keeper> shadow;                      ///< of a tool with shadow bits, from its first launch on
  std::map<std::uint32_t, shadow_record> graph_shadows;       ///< by the number of the graphs' state
  Sanitizer_StreamHandle shadow_stream = nullptr;
  std::uint64_t memory_version = 1;         ///< another one after the program has allocated or released memory
  bool has_patches = false;                 ///< it was tried to load them
  std::vector<std::string const*> kernels;  ///< whose each state is, by its number; names as in their modules
  std::map<std::pair<std::uint64_t, std::uint32_t>, code_place> places;  ///< of sites, by address and state
  std::string why_not;                                                   ///< nothing can be patched in it: half a line
  std::string lost_because;                                              ///< a kernel went wrong; empty: all is well
  std::int64_t next_read = 0;  ///< when the program's waiting may be used again to read; steady clock
  bool is_gone = false;        ///< destroyed
};

/// A kernel in a context, as it is launched.
struct kernel_record {
  std::string name;  ///< as in the module
  context_record* context = nullptr;
  CUmodule module = nullptr;
  bool is_wanted = true;  ///< it was chosen
  bool is_hosts = false;  ///< it has counters, which the host of this collector reads
  std::string why_not;    ///< it cannot be patched: half a line
  bool is_prepared = false;
  std::deque<launch_group> groups;
  std::map<std::string, launch_group*> of_range;  ///< of all launches in a range
  collecting::launch_sampler sampler;
  std::map<std::string, sample_count> sampled;  ///< [range]
};

}  // namespace pasta::patch
#endif
