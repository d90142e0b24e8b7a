// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What can happen: plain structs, units in the field names.
#ifndef PASTA_EVENT_HPP
#define PASTA_EVENT_HPP

#include <pasta/config.hpp>

namespace pasta {

enum class access_kind : std::uint8_t { load, store, atomic };
/// Where memory is. Events of handlers have the first three; reports of the ptx route have the others too.
enum class memory_space : std::uint8_t {
  global,
  shared,
  local,
  generic,  ///< the address tells, at run time
  constant,
  texture,
  surface,
  tensor  ///< tensor memory, which no pointer reaches
};
enum class barrier_scope : std::uint8_t { warp, block, cluster, grid };
enum class element_type : std::uint8_t { f64, f32, tf32, f16, bf16, f8, s8, s4, s32, b1 };

/// The number of an instrumented operation in the table of the worker (or shard) that delivers the event. Other workers
/// number otherwise, so it must not be kept in state: site_state belongs to the site already. Reports name places.
using site_id = std::uint32_t;

// ---- Device events. Each handler call speaks for one lane; `lanes` are those of its warp that execute the operation
// together.

namespace detail {
/// A route's attempt to handle a request by few instructions: what needs more says so and does nothing.
struct request_trial {
  bool is_refused = false;
};
}  // namespace detail

/// One lane reads or writes memory: just before it does. A vector access is one event of its whole size.
struct memory_access {
  lane_mask lanes;
  std::uint64_t address;     ///< first byte
  std::uint32_t size_bytes;  ///< of this lane's access
  access_kind kind;
  memory_space space;
  site_id site;
  detail::request_trial* trial = nullptr;  ///< for PASTA's own functions
};

/// One lane starts a copy that runs beside the kernel. Its read and its write are memory accesses too (none for the
/// bytes that are filled with zeros).
struct async_copy {
  lane_mask lanes;
  std::uint64_t source_address, destination_address;
  std::uint64_t size_bytes;         ///< written
  std::uint64_t source_size_bytes;  ///< read; what is missing to size_bytes is filled with zeros
  memory_space source_space, destination_space;
  site_id site;
};

/// Lanes arrive at a barrier.
struct barrier {
  lane_mask lanes;
  barrier_scope scope;
  site_id site;
};

/// Once per block, before its first thread starts and after its last has ended. One lane.
struct block_enter {
  lane_mask lanes;
  dim3 block_index;
};
struct block_exit {
  lane_mask lanes;
  dim3 block_index;
};

/// Exactly once per thread.
struct thread_enter {
  lane_mask lanes;
};
struct thread_exit {
  lane_mask lanes;
};

/// Lanes decide a condition.
struct branch {
  lane_mask lanes;
  lane_mask taken;  ///< of `lanes`, those for which the condition holds
  site_id site;
};

/// A warp (or warp group) multiplies matrix tiles: D[m][n] = A[m][k] * B[k][n] + C[m][n].
struct matrix_operation {
  lane_mask lanes;
  std::uint16_t m, n, k;
  element_type input, accumulator;
  site_id site;
};

/// Lanes call a function that is not inlined.
struct call {
  lane_mask lanes;
  std::uint64_t callee_address;
  site_id site;
};

// ---- Host events. Handlers run on the thread that did it, unless said.

/// What a launch is. Strings live as long as the handler's call.
struct kernel_begin {
  char const* name;            ///< demangled
  dim3 grid, block;            ///< [blocks], [threads]
  std::uint64_t shared_bytes;  ///< dynamic shared memory of each block
  std::uint64_t stream, device, context;
  std::uint64_t launch;   ///< unique in the process, from 0
  std::uint64_t time_ns;  ///< host's time base
};
struct kernel_end {
  char const* name;
  std::uint64_t launch;
  std::uint64_t stream, device, context;
  std::uint64_t begin_ns, end_ns;  ///< end_ns >= begin_ns
};

enum class copy_direction : std::uint8_t { host_to_device, device_to_host, device_to_device, host_to_host };
struct memory_copy {
  std::uint64_t source_address, destination_address, size_bytes;
  copy_direction direction;
  std::uint64_t stream, begin_ns, end_ns;
};
struct memory_set {
  std::uint64_t address, size_bytes;
  std::uint32_t value;
  std::uint64_t stream, begin_ns, end_ns;
};
struct allocation {
  std::uint64_t address, size_bytes, device, time_ns;
};
struct deallocation {
  std::uint64_t address, size_bytes, device, time_ns;
};
/// The host waits for a stream, a device or an event.
struct synchronization {
  std::uint64_t stream, device, begin_ns, end_ns;
};
enum class annotation_kind : std::uint8_t { push, pop, step };
/// The program names what it is doing. `name` is "" for pop and step.
struct annotation {
  char const* name;
  annotation_kind kind;
  std::uint64_t depth;  ///< ranges open on this thread, this one included
  std::uint64_t time_ns;
};

// Every event, for code that is written once for all of them. Countable events are those with a site.
#define PASTA_DETAIL_FOR_EACH_DEVICE_EVENT(X) \
  X(memory_access)                            \
  X(async_copy)                               \
  X(barrier) X(block_enter) X(block_exit) X(thread_enter) X(thread_exit) X(branch) X(matrix_operation) X(call)
#define PASTA_DETAIL_FOR_EACH_HOST_EVENT(X) \
  X(kernel_begin)                           \
  X(kernel_end) X(memory_copy) X(memory_set) X(allocation) X(deallocation) X(synchronization) X(annotation)
#define PASTA_DETAIL_FOR_EACH_EVENT(X) PASTA_DETAIL_FOR_EACH_DEVICE_EVENT(X) PASTA_DETAIL_FOR_EACH_HOST_EVENT(X)

}  // namespace pasta
#endif
