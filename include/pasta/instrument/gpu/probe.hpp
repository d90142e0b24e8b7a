// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The probe of a run with tools on a GPU: the vendor's thread_probe gets each event with its site.
#ifndef PASTA_INSTRUMENT_GPU_PROBE_HPP
#define PASTA_INSTRUMENT_GPU_PROBE_HPP

#include <pasta/instrument/no_probe.hpp>
#include <pasta/instrument/site.hpp>
#include <pasta/vendor/current.hpp>

namespace pasta {

namespace detail {
/// What a thread does with an event; each vendor has its own.
template <class List>
class thread_probe;
}  // namespace detail

/// The probe of a run with tools (one, or a tool_pack). All members are called on a kernel's thread.
template <class ToolOrPack>
struct probe {
  static constexpr bool is_active = true;
  using tools = tools_of_t<ToolOrPack>;
  using handle = detail::thread_probe<tools>*;

  /// A lane is about to access memory.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void access(handle mine, place const& where, access_kind kind,
                                                      memory_space space, void const* address, std::uint64_t size_bytes,
                                                      array_position const& position = {}) {
    if constexpr (sees<memory_access>) {
      mine->access(site_key::of(where, to_operation(kind), space, size_bytes),
                   reinterpret_cast<std::uintptr_t>(address), position);
    }
    static_cast<void>(mine), static_cast<void>(where), static_cast<void>(kind), static_cast<void>(space);
    static_cast<void>(address), static_cast<void>(size_bytes), static_cast<void>(position);
  }

  /// A lane reads memory. The value is asked for first: it comes while the event is handled.
  template <class T>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static std::remove_const_t<T> load(handle mine, place const& where,
                                                                      memory_space space, T* from,
                                                                      array_position const& position = {}) {
    std::remove_const_t<T> const value = *from;
    access(mine, where, access_kind::load, space, from, sizeof(T), position);
    return value;
  }

  /// A lane starts a copy that runs beside the kernel: the copy, its read if it reads anything, its write.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void copy_async(handle mine, place const& where, void* destination,
                                                          memory_space destination_space, void const* source,
                                                          memory_space source_space, std::uint64_t size_bytes,
                                                          std::uint64_t source_size_bytes) {
    if constexpr (sees<pasta::async_copy>) {
      mine->template happen<pasta::async_copy>(site_key::of(where, operation::copy, destination_space, size_bytes),
                                               [=](lane_mask lanes, site_id site) {
                                                 return pasta::async_copy{lanes,
                                                                          reinterpret_cast<std::uintptr_t>(source),
                                                                          reinterpret_cast<std::uintptr_t>(destination),
                                                                          size_bytes,
                                                                          source_size_bytes,
                                                                          source_space,
                                                                          destination_space,
                                                                          site};
                                               });
    }
    if (source_size_bytes > 0) access(mine, where, access_kind::load, source_space, source, source_size_bytes);
    if (size_bytes > 0) access(mine, where, access_kind::store, destination_space, destination, size_bytes);
  }

  /// A lane arrives at a barrier.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void arrive(handle mine, place const& where, barrier_scope scope) {
    if constexpr (sees<barrier>) {
      mine->template happen<barrier>(site_key::of(where, operation::barrier, memory_space::global, 0),
                                     [=](lane_mask lanes, site_id site) {
                                       return barrier{lanes, scope, site};
                                     });
    }
    static_cast<void>(mine), static_cast<void>(where), static_cast<void>(scope);
  }

  /// A lane decides a condition.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void decide(handle mine, place const& where, bool condition) {
    if constexpr (sees<branch>) {
      mine->template happen<branch>(site_key::of(where, operation::branch, memory_space::global, 0),
                                    [=](lane_mask lanes, site_id site) {
                                      return branch{lanes, warp::ballot(lanes, condition), site};
                                    });
    }
    static_cast<void>(mine), static_cast<void>(where), static_cast<void>(condition);
  }

  /// A lane of a warp that multiplies matrix tiles together.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void multiply(handle mine, place const& where, matrix_shape const& shape) {
    if constexpr (sees<matrix_operation>) {
      mine->template happen<matrix_operation>(site_key::of(where, shape), [=](lane_mask lanes, site_id site) {
        return matrix_operation{shape.lanes_of(lanes, warp::lane(), warp::width()),
                                shape.m(),
                                shape.n(),
                                shape.k(),
                                shape.input(),
                                shape.accumulator(),
                                site};
      });
    }
    static_cast<void>(mine), static_cast<void>(where), static_cast<void>(shape);
  }

  /// Before the kernel's first statement and after its last.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void begin_thread(handle mine) {
    if constexpr (any_handles_v<tools, block_enter> || any_handles_v<tools, block_exit>) {
      simt::lane const here;
      if (is_first_of_block(here)) {
        if constexpr (any_handles_v<tools, block_exit>) here.template shared_array<unsigned[1], ended_count>()[0] = 0;
        if constexpr (any_handles_v<tools, block_enter>) {
          mine->happen(block_enter{lane_mask{1} << warp::lane(), here.block_index()});
        }
      }
      here.sync_block();
    }
    if constexpr (any_handles_v<tools, thread_enter>) mine->happen(thread_enter{warp::detail::active()});
    static_cast<void>(mine);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void end_thread(handle mine) {
    if constexpr (any_handles_v<tools, thread_exit>) mine->happen(thread_exit{warp::detail::active()});
    if constexpr (any_handles_v<tools, block_exit>) {
      // The last thread to end. Not a barrier: threads that end early would wait while others wait at the kernel's own.
      simt::lane const here;
      unsigned& ended = here.template shared_array<unsigned[1], ended_count>()[0];
      if (simt::atomic_add(ended, 1u) + 1 == here.block_size().count()) {
        mine->happen(block_exit{lane_mask{1} << warp::lane(), here.block_index()});
      }
    }
    mine->finish();
  }

 private:
  static constexpr int ended_count = -1;  // the number of a shared array that no kernel has

  template <class Event>
  static constexpr bool sees = any_handles_v<tools, Event> || any_counts_v<tools, Event>;

  PASTA_DEVICE static bool is_first_of_block(simt::lane const& here) {
    dim3 const index = here.thread_index();
    return (index.x | index.y | index.z) == 0;
  }
};

}  // namespace pasta
#endif
