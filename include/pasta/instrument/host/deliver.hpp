// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Hands an event on the host engine to every tool of a run that handles it.
#ifndef PASTA_INSTRUMENT_HOST_DELIVER_HPP
#define PASTA_INSTRUMENT_HOST_DELIVER_HPP

#include <pasta/analysis/shadow_bits.hpp>
#include <pasta/instrument/choices.hpp>
#include <pasta/instrument/host/shard.hpp>
#include <pasta/vendor/host.hpp>

namespace pasta {

/// What a worker holds while it runs a kernel for a run's tools. worker::probe_data points to it.
template <class List>
struct worker_data {
  shard<List>* kernel = nullptr;  ///< of the kernel that runs
  typename detail::states_of<List>::program program_states{};
  typename detail::states_of<List>::options const* options = nullptr;
  detail::shadow_view const* shadow = nullptr;  ///< of the launch; null where no tool has any
  std::string handler_error;                    ///< what the first device handler that threw had to say
  std::unique_ptr<typename detail::states_of<List>::thread[]>
      threads;  ///< [thread of the block]; null where no tool has any
};

namespace detail {

// row may be null for events without a site.
template <std::size_t Index, class Tool, class List>
PASTA_ALWAYS_INLINE context<Tool> make_context(worker_data<List>& data, site_row<List>* row, std::uint32_t thread) {
  typename context<Tool>::parts parts;
  if (row != nullptr) parts.site = &get_state<Index>(row->states);
  if constexpr (has_thread_state_v<Tool>) {
    parts.thread = &get_state<Index>(data.threads[thread]);
  } else {
    static typename Tool::thread_state nothing;
    parts.thread = &nothing;
    static_cast<void>(thread);
  }
  parts.kernel = &get_state<Index>(data.kernel->kernel_states);
  parts.launch = &get_state<Index>(data.kernel->launch_states);
  parts.program = &get_state<Index>(data.program_states);
  parts.options = &get_state<Index>(*data.options);
  parts.shadow = make_shadow<Tool>(data.shadow);
  return context<Tool>(parts);
}

template <class Event, class List>
PASTA_ALWAYS_INLINE void deliver_to_all(worker_data<List>& data, site_row<List>* row, std::uint32_t thread,
                                        Event const& event) {
  for_each_tool(List{}, [&]<std::size_t Index, class Tool>() {
    if constexpr (handles_v<Tool, Event>) {
      if (row != nullptr && !watches<Tool>(row->key)) return;
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
