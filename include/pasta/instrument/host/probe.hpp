// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_HOST_PROBE_HPP
#define PASTA_INSTRUMENT_HOST_PROBE_HPP

#include <pasta/instrument/host/deliver.hpp>
#include <pasta/instrument/no_probe.hpp>

namespace pasta {

/// The probe of a run with tools (one, or a tool_pack), on the host engine. All members are called on a kernel's lane.
template <class ToolOrPack>
struct probe {
  static constexpr bool is_active = true;
  using tools = tools_of_t<ToolOrPack>;
  using handle = no_handle;  // the worker knows

  /// A lane is about to access memory.
  PASTA_ALWAYS_INLINE static void access(handle, place const& where, access_kind kind, memory_space space,
                                         void const* address, std::uint64_t size_bytes, array_position const& = {}) {
    auto const first_byte = reinterpret_cast<std::uintptr_t>(address);
    happen<memory_access>(
        site_key::of(where, to_operation(kind), space, size_bytes), first_byte, [&](lane_mask lanes, site_id site) {
          return memory_access{lanes, first_byte, static_cast<std::uint32_t>(size_bytes), kind, space, site};
        });
  }

  /// A lane reads memory: the event, then the value.
  template <class T>
  PASTA_ALWAYS_INLINE static std::remove_const_t<T> load(handle mine, place const& where, memory_space space, T* from,
                                                         array_position const& = {}) {
    access(mine, where, access_kind::load, space, from, sizeof(T));
    return *from;
  }

  /// A lane starts a copy that runs beside the kernel: the copy, its read if it reads anything, its write.
  static void copy_async(handle, place const& where, void* destination, memory_space destination_space,
                         void const* source, memory_space source_space, std::uint64_t size_bytes,
                         std::uint64_t source_size_bytes) {
    happen<pasta::async_copy>(site_key::of(where, operation::copy, destination_space, size_bytes), 0,
                              [&](lane_mask lanes, site_id site) {
                                return pasta::async_copy{lanes,
                                                         reinterpret_cast<std::uintptr_t>(source),
                                                         reinterpret_cast<std::uintptr_t>(destination),
                                                         size_bytes,
                                                         source_size_bytes,
                                                         source_space,
                                                         destination_space,
                                                         site};
                              });
    if (source_size_bytes > 0) access({}, where, access_kind::load, source_space, source, source_size_bytes);
    if (size_bytes > 0) access({}, where, access_kind::store, destination_space, destination, size_bytes);
  }

  /// A lane arrives at a barrier.
  static void arrive(handle, place const& where, barrier_scope scope) {
    happen<barrier>(site_key::of(where, operation::barrier, memory_space::global, 0), 0,
                    [&](lane_mask lanes, site_id site) {
                      return barrier{lanes, scope, site};
                    });
  }

  /// A lane decides a condition.
  static void decide(handle, place const& where, bool condition) {
    happen<branch>(site_key::of(where, operation::branch, memory_space::global, 0), condition ? 1 : 0,
                   [](lane_mask lanes, site_id site) {
                     std::uint64_t const* const conditions = simt::current_worker()->block.group_values();
                     lane_mask taken = 0;
                     warp::detail::for_each_lane(lanes, [&](std::uint32_t lane) { taken |= conditions[lane] << lane; });
                     return branch{lanes, taken, site};
                   });
  }

  /// A lane of a warp that multiplies matrix tiles together.
  static void multiply(handle, place const& where, matrix_shape const& shape) {
    happen<matrix_operation>(site_key::of(where, shape), 0, [&](lane_mask lanes, site_id site) {
      simt::block_runner& here = block();
      std::uint32_t const width = warp::width();
      return matrix_operation{shape.lanes_of(lanes, here.thread() % width, width),
                              shape.m(),
                              shape.n(),
                              shape.k(),
                              shape.input(),
                              shape.accumulator(),
                              site};
    });
  }

  /// A lane brings an event of any kind with a site; its `lanes` and `site` are filled in. For tests of tools.
  template <class Event>
  static void feed(handle, place const& where, Event event) {
    if constexpr (std::is_same_v<Event, memory_access>) {
      access({}, where, event.kind, event.space, reinterpret_cast<void const*>(event.address), event.size_bytes);
    } else {
      happen<Event>(key_of(where, event), 0, [&](lane_mask lanes, site_id site) {
        event.lanes = lanes;
        event.site = site;
        return event;
      });
    }
  }

  static void begin_block(simt::worker& self, dim3 block_index) {
    if constexpr (any_handles_v<tools, block_enter>) deliver_without_lane(self, block_enter{1, block_index});
    static_cast<void>(self), static_cast<void>(block_index);
  }
  static void end_block(simt::worker& self, dim3 block_index) {
    if constexpr (any_handles_v<tools, block_exit>) deliver_without_lane(self, block_exit{1, block_index});
    static_cast<void>(self), static_cast<void>(block_index);
  }

  PASTA_ALWAYS_INLINE static void begin_thread() {
    if constexpr (detail::any_thread_state_v<tools>) data().threads[block().thread()] = {};
    if constexpr (any_handles_v<tools, thread_enter>) {
      lane_mask const lanes = block().converge(simt::order_of_enter);
      detail::deliver_to_all(data(), static_cast<site_row<tools>*>(nullptr), block().thread(), thread_enter{lanes});
    }
  }
  PASTA_ALWAYS_INLINE static void end_thread() {
    if constexpr (any_handles_v<tools, thread_exit> || detail::any_thread_state_v<tools>) {
      lane_mask const lanes = block().converge(simt::order_of_exit);
      std::uint32_t const thread = block().thread();
      if constexpr (any_handles_v<tools, thread_exit>) {
        detail::deliver_to_all(data(), static_cast<site_row<tools>*>(nullptr), thread, thread_exit{lanes});
      }
      detail::for_each_tool(tools{}, [&]<std::size_t Index, class Tool>() {
        if constexpr (detail::has_thread_state_v<Tool>) {
          context<Tool> at = detail::make_context<Index, Tool>(data(), static_cast<site_row<tools>*>(nullptr), thread);
          Tool::fold(at.thread(), at);
        }
      });
    }
  }

 private:
  static constexpr operation operation_of(pasta::async_copy const&) { return operation::copy; }
  static constexpr operation operation_of(barrier const&) { return operation::barrier; }
  static constexpr operation operation_of(branch const&) { return operation::branch; }
  static constexpr operation operation_of(call const&) { return operation::call; }
  template <class Event>
  static constexpr site_key key_of(place const& where, Event const& event) {
    return site_key::of(where, operation_of(event), memory_space::global, 0);
  }
  static constexpr site_key key_of(place const& where, matrix_operation const& event) {
    return site_key::of(where, matrix_shape::of(event));
  }

  PASTA_ALWAYS_INLINE static worker_data<tools>& data() {
    return *static_cast<worker_data<tools>*>(simt::current_worker()->probe_data);
  }
  PASTA_ALWAYS_INLINE static simt::block_runner& block() { return simt::current_worker()->block; }

  // An event with a site. `make_event(lanes, site)` is called when the group is known, on each of its lanes.
  template <class Event, class MakeEvent>
  PASTA_ALWAYS_INLINE static void happen(site_key const& key, std::uint64_t brought, MakeEvent&& make_event) {
    using choice = detail::site_choice<tools>;
    if constexpr (any_handles_v<tools, Event> || any_counts_v<tools, Event>) {
      if (!choice::template sees<Event>(key)) return;
      site_row<tools>& row = data().kernel->row(key);
      ++row.executions;
      if constexpr (any_handles_v<tools, Event>) {
        if (!choice::template handles<Event>(key)) return;
        lane_mask const lanes = block().converge(key.order(), brought);
        detail::deliver_to_all(data(), &row, block().thread(), make_event(lanes, row.number));
      }
    }
    static_cast<void>(key), static_cast<void>(brought), static_cast<void>(make_event);
  }

  // Before a block's first lane and after its last: exchanges with a mask of one lane complete at once.
  template <class Event>
  static void deliver_without_lane(simt::worker& self, Event const& event) {
    self.block.begin_solo();
    detail::deliver_to_all(data(), static_cast<site_row<tools>*>(nullptr), 0, event);
  }
};

}  // namespace pasta
#endif
