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
#include <list>
#include <memory>
#include <optional>
#include <pasta/session/ptx/read_site_table.hpp>
#include <pasta/vendor/launch_shape.hpp>
#include <string>
#include <vector>

namespace pasta::ptx {

/// An instrumented module in a context, with the memory that its kernels add to.
struct attachment {
  std::shared_ptr<read_table const> table;
  CUmodule module = nullptr;
  CUdeviceptr state = 0;   ///< the module's pasta_state_<id>
  CUdeviceptr memory = 0;  ///< what is once for all shards, then the shards; 0: given back
  std::size_t shared_bytes = 0, shard_stride = 0;
  std::uint32_t shard_count = 0;
  std::vector<std::byte> copy;  ///< of the memory, as last read; empty: never

  std::size_t size_bytes() const { return shared_bytes + shard_stride * shard_count; }
};

struct context_state {
  std::uint32_t uid = 0;  ///< CUPTI's: unique in the process, where handles are used again
  CUcontext handle = nullptr;
  CUdevice device = 0;
  std::string device_name;
  std::uint32_t most_shards = 1;
  CUstream stream = nullptr;  ///< own: waits for none of the program's, nor they for it
  std::size_t left_bytes = 0;
  std::list<attachment> attachments;
  std::string lost_because;                ///< a kernel went wrong; empty: all is well
  std::atomic<std::int64_t> next_read{0};  ///< when the program's waiting may be used again to read; steady clock
  std::atomic<bool> is_gone{false};        ///< destroyed
};

/// A function in a context, as it is launched.
struct function_record {
  std::string name;  ///< as in the module
  context_state* context = nullptr;
  attachment* where = nullptr;  ///< null: nothing counts in it
  std::size_t function = 0;     ///< index in the table's functions
  std::string why_not;          ///< nothing counts in it: half a line

  launch_shape first;  ///< of the launches
  std::atomic<bool> is_shape_set{false}, has_one_shape{true};
  std::atomic<std::uint64_t> shared_bytes{0};  ///< the largest
  std::atomic<std::uint64_t> launches{0};
  std::uint64_t delivered = 0;  ///< launches whose results were read

  /// Launches in a row with one shape, such as a graph's node replayed. Any thread.
  void add_launches(std::uint64_t count) { launches.fetch_add(count, std::memory_order_relaxed); }
  void see_shape(launch_shape const& shape) {
    if (!(shape.grid == first.grid && shape.block == first.block))
      has_one_shape.store(false, std::memory_order_relaxed);
    std::uint64_t known = shared_bytes.load(std::memory_order_relaxed);
    while (known < shape.shared_bytes && !shared_bytes.compare_exchange_weak(known, shape.shared_bytes)) {
    }
  }
};

}  // namespace pasta::ptx
#endif
