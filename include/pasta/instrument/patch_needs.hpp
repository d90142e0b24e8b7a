// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which instructions a tool needs patched: what it handles or counts, and nothing else.
#ifndef PASTA_INSTRUMENT_PATCH_NEEDS_HPP
#define PASTA_INSTRUMENT_PATCH_NEEDS_HPP

#include <pasta/instrument/choices.hpp>
#include <pasta/instrument/hook_layout.hpp>
#include <pasta/instrument/patch_abi.hpp>

namespace pasta::detail {

/// Why a tool has no patches.
enum class patch_obstacle : std::uint8_t {
  none,
  no_device_event,   ///< nothing happens on a GPU that it wants
  other_events,      ///< it handles or counts events that the vendor's interface does not have
  has_thread_state,  ///< a patch is a function of its own: what it keeps for a thread would be in memory
};

template <class Tool>
struct patch_needs {
  /// Events of which patches tell.
  template <class Event>
  static constexpr bool wants = handles_v<Tool, Event> || counts_v<Tool, Event>;

  static constexpr patch_obstacle obstacle = [] {
    bool is_other =
        wants<branch> || wants<matrix_operation> || handles_v<Tool, block_enter> || handles_v<Tool, block_exit>;
#define PASTA_DETAIL_CHECK(event) is_other = is_other || handles_v<Tool, event>;
    PASTA_DETAIL_FOR_EACH_HOST_EVENT(PASTA_DETAIL_CHECK)
#undef PASTA_DETAIL_CHECK
    bool const is_any = wants<memory_access> || wants<async_copy> || wants<barrier> || wants<call> ||
                        handles_v<Tool, thread_enter> || handles_v<Tool, thread_exit>;
    if (is_other) return patch_obstacle::other_events;
    if (has_thread_state_v<Tool>) return patch_obstacle::has_thread_state;
    return is_any ? patch_obstacle::none : patch_obstacle::no_device_event;
  }();

  static constexpr bool watches_any_size(operation what, memory_space space) {
    bool is_any = false;
    for (std::uint64_t size = 1; size <= 32; size *= 2)
      is_any = is_any || watches<Tool>(site_key::of({nullptr, 0, 0}, what, space, size));
    return is_any;
  }
  /// Whether the tool has something to do at such an access, of one size at least.
  static constexpr bool access(operation what, memory_space space) {
    return counts_v<Tool, memory_access> || (handles_v<Tool, memory_access> && watches_any_size(what, space));
  }
  static constexpr bool any_access(memory_space space) {
    return access(operation::load, space) || access(operation::store, space) || access(operation::atomic, space);
  }
  static constexpr bool event(operation what, memory_space space, bool is_handled, bool is_counted) {
    return is_counted || (is_handled && watches<Tool>(site_key::of({nullptr, 0, 0}, what, space, 0)));
  }
  static constexpr bool needs_copy = wants<async_copy>;
  static constexpr bool needs_barrier =
      event(operation::barrier, memory_space::global, handles_v<Tool, barrier>, counts_v<Tool, barrier>);
  static constexpr bool needs_call =
      event(operation::call, memory_space::global, handles_v<Tool, call>, counts_v<Tool, call>);

  static constexpr bool needs(patch_function which) {
    constexpr memory_space global = memory_space::global, shared = memory_space::shared, local = memory_space::local;
    constexpr operation load = operation::load, store = operation::store, atomic = operation::atomic;
    if (obstacle != patch_obstacle::none) return false;
    switch (which) {
      case patch_function::global_access:  // an address without a space in the instruction may be any
        return any_access(global) || any_access(shared) || any_access(local);
      case patch_function::shared_access:
      case patch_function::remote_shared_access:
        return any_access(shared);
      case patch_function::local_access:
        return any_access(local);
      case patch_function::matrix_access:
        return access(load, shared) || access(store, shared);
      case patch_function::async_store:
      case patch_function::shared_set:
        return access(store, shared);
      case patch_function::async_reduction:
        return access(atomic, shared);
      case patch_function::copy_async:
      case patch_function::bulk_global_to_shared:
        return needs_copy || access(load, global) || access(store, shared);
      case patch_function::bulk_shared_to_global:
        return needs_copy || access(load, shared) || access(store, global);
      case patch_function::bulk_shared_to_shared:
        return needs_copy || access(load, shared) || access(store, shared);
      case patch_function::bulk_reduction_to_global:
        return needs_copy || access(load, shared) || access(atomic, global);
      case patch_function::bulk_reduction_to_shared:
        return needs_copy || access(load, shared) || access(atomic, shared);
      case patch_function::barrier:
      case patch_function::warp_barrier:
      case patch_function::cluster_barrier:
      case patch_function::cuda_barrier:
        return needs_barrier;
      case patch_function::call:
        return needs_call;
      case patch_function::thread_enter:
        return handles_v<Tool, pasta::thread_enter>;
      case patch_function::thread_exit:
        return handles_v<Tool, pasta::thread_exit>;
    }
    return false;
  }
  /// patch_bit() of each that is needed.
  static constexpr std::uint32_t functions = [] {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < patch_function_count; ++i) {
      auto const which = static_cast<patch_function>(i);
      if (needs(which)) bits |= patch_bit(which);
    }
    return bits;
  }();
  /// For device code, which calls no function of the host's.
  template <patch_function Which>
  static constexpr bool needs_v = (functions & patch_bit(Which)) != 0;
};

/// Whether all that a tool wants of an access is that it is counted: then a kernel may have code_rows.
template <class Tool>
inline constexpr bool patch_counts_alone_v =
    counts_v<Tool, memory_access> && !handles_v<Tool, memory_access> &&
    hook_layout<Tool>::site_shard_bytes == sizeof(std::uint64_t) && hook_layout<Tool>::site_shared_bytes == 0;

}  // namespace pasta::detail
#endif
