// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a tool wants of a hook (instrument/hook_abi.hpp): which events, and of which sites. The same for all vendors.
#ifndef PASTA_INSTRUMENT_HOOK_EVENTS_HPP
#define PASTA_INSTRUMENT_HOOK_EVENTS_HPP

#include <pasta/instrument/choices.hpp>
#include <pasta/instrument/hook_abi.hpp>

namespace pasta::detail {

// Which sites a tool watches, as bits.
template <class Tool>
constexpr std::uint64_t watched_sites() {
  std::uint64_t bits = 0;
  for (std::uint32_t kind = 0; kind < 3; ++kind) {
    for (std::uint32_t space = 0; space < 3; ++space) {
      for (std::uint32_t size = 0; size < watched_sizes; ++size) {
        site_key const key = site_key::of({nullptr, 0, 0}, static_cast<operation>(kind),
                                          static_cast<memory_space>(space), std::uint64_t{1} << size);
        if (watches<Tool>(key)) bits |= std::uint64_t{1} << watched_bit(kind, space, size);
      }
    }
  }
  return bits;
}

template <class Tool>
struct hook_events {
  static constexpr hook_obstacle obstacle =
      handles_v<Tool, block_enter> || handles_v<Tool, block_exit> ? hook_obstacle::block_events : hook_obstacle::none;
  /// Whether there is something to do when such an event happens. @param what where it happens, as watches() is asked
  template <class Event>
  static constexpr bool handles(operation what) {
    bool const depends_on_size = what == operation::load || what == operation::copy;
    return handles_v<Tool, Event> && obstacle == hook_obstacle::none &&
           (depends_on_size || watches<Tool>(site_key::of({nullptr, 0, 0}, what, memory_space::global, 0)));
  }
  template <class Event>
  static constexpr bool handles_thread() {
    return handles_v<Tool, Event> && obstacle == hook_obstacle::none;
  }
  static constexpr std::uint32_t events = [] {
    std::uint32_t bits = 0;
    auto const add = [&](hook_function event, bool is_handled, bool is_counted) {
      bits |= (is_handled ? handled_bit(event) : 0) | (is_counted ? counted_bit(event) : 0);
    };
    add(hook_function::memory_access, handles<memory_access>(operation::load), counts_v<Tool, memory_access>);
    add(hook_function::async_copy, handles<async_copy>(operation::copy), counts_v<Tool, async_copy>);
    add(hook_function::barrier, handles<barrier>(operation::barrier), counts_v<Tool, barrier>);
    add(hook_function::branch, handles<branch>(operation::branch), counts_v<Tool, branch>);
    add(hook_function::matrix_operation, handles<matrix_operation>(operation::matrix),
        counts_v<Tool, matrix_operation>);
    add(hook_function::call, handles<call>(operation::call), counts_v<Tool, call>);
    add(hook_function::thread_enter, handles_thread<thread_enter>(), false);
    add(hook_function::thread_exit, handles_thread<thread_exit>(), false);
    return bits;
  }();
  static constexpr std::uint64_t watched = watched_sites<Tool>();
};

/// Whether the tool has something to do there.
template <class Tool, hook_function Function>
inline constexpr bool has_function_v = (hook_events<Tool>::events & handled_bit(Function)) != 0;
template <class Tool>
inline constexpr bool has_function_v<Tool, hook_function::start> = has_thread_state_v<Tool>;
template <class Tool>
inline constexpr bool has_function_v<Tool, hook_function::fold> = has_thread_state_v<Tool>;

}  // namespace pasta::detail
#endif
