// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Hands an event on the host engine to every tool of a run that handles it.
#ifndef PASTA_INSTRUMENT_DELIVER_HPP
#define PASTA_INSTRUMENT_DELIVER_HPP

#include <pasta/instrument/shard.hpp>
#include <pasta/vendor/host.hpp>

namespace pasta {

/// What a worker holds while it runs a kernel for a run's tools. worker::probe_data points to it.
template <class List>
struct worker_data {
  shard<List>* kernel = nullptr;  ///< of the kernel that runs
  typename detail::states_of<List>::program program_states{};
  typename detail::states_of<List>::options const* options = nullptr;
  std::string handler_error;  ///< what the first device handler that threw had to say
  std::unique_ptr<typename detail::states_of<List>::thread[]>
      threads;  ///< [thread of the block]; null where no tool has any
};

namespace detail {

template <class Tool>
inline constexpr bool has_thread_state_v = !std::is_empty_v<typename Tool::thread_state>;
template <class Tool>
concept folds = requires(typename Tool::thread_state& state, context<Tool>& at) {
  { Tool::fold(state, at) } -> std::same_as<void>;
};

template <class List>
inline constexpr bool any_thread_state_v = false;
template <class... Tools>
inline constexpr bool any_thread_state_v<type_list<Tools...>> = (has_thread_state_v<Tools> || ...);

// Calls f(index, type) for each tool of the list: f.template operator()<Index, Tool>().
template <class... Tools, class Function>
PASTA_ALWAYS_INLINE void for_each_tool(type_list<Tools...>, Function&& f) {
  [&]<std::size_t... Index>(std::index_sequence<Index...>) { (f.template operator()<Index, Tools>(), ...); }
  (std::index_sequence_for<Tools...>{});
}

// row may be null for events without a site.
template <std::size_t Index, class Tool, class List>
PASTA_ALWAYS_INLINE context<Tool> make_context(worker_data<List>& data, site_row<List>* row, std::uint32_t thread) {
  typename context<Tool>::parts parts;
  if (row != nullptr) parts.site = &std::get<Index>(row->states);
  if constexpr (has_thread_state_v<Tool>) {
    parts.thread = &std::get<Index>(data.threads[thread]);
  } else {
    static typename Tool::thread_state nothing;
    parts.thread = &nothing;
    static_cast<void>(thread);
  }
  parts.kernel = &std::get<Index>(data.kernel->kernel_states);
  parts.launch = &std::get<Index>(data.kernel->launch_states);
  parts.program = &std::get<Index>(data.program_states);
  parts.options = &std::get<Index>(*data.options);
  return context<Tool>(parts);
}

template <class Event, class List>
PASTA_ALWAYS_INLINE void deliver_to_all(worker_data<List>& data, site_row<List>* row, std::uint32_t thread,
                                        Event const& event) {
  for_each_tool(List{}, [&]<std::size_t Index, class Tool>() {
    if constexpr (handles_v<Tool, Event>) {
      context<Tool> at = make_context<Index, Tool>(data, row, thread);
      try {
        deliver(at, event);
      } catch (std::exception const& error) {  // a tool's mistake is not the program's; what unwinds a fiber passes
        if (data.handler_error.empty()) data.handler_error = std::string(tool_name<Tool>()) + ": " + error.what();
      }
    }
  });
}

}  // namespace detail

}  // namespace pasta
#endif
