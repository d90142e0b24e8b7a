// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_NO_PROBE_HPP
#define PASTA_INSTRUMENT_NO_PROBE_HPP

#include <pasta/handler.hpp>

namespace pasta {

/// What a traced array carries so that its accesses find the thread's probe; nothing where the probe needs nothing.
struct no_handle {};

/// The probe of a run without tools: traced arrays are plain pointers, no PASTA code is left in the kernel.
struct no_probe {
  static constexpr bool is_active = false;
  using tools = type_list<>;
  using handle = no_handle;
};

/// Which device events the probe route delivers. Another event needs a route that sees machine instructions; in a
/// program of the llvm route there is one.
template <class Event>
inline constexpr bool probe_delivers_v =
    contains_v<type_list<memory_access, async_copy, barrier, block_enter, block_exit, thread_enter, thread_exit, branch,
                         matrix_operation>,
               Event> ||
    (is_llvm_route && std::is_same_v<Event, call>);

}  // namespace pasta
#endif
