// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which events of a function other than memory accesses reach handlers, and the code before each; what concerns
/// threads: where they begin and end, and what they keep.
#ifndef PASTA_INSTRUMENT_PTX_EVENT_SITES_HPP
#define PASTA_INSTRUMENT_PTX_EVENT_SITES_HPP

#include <functional>
#include <pasta/instrument/ptx/edits.hpp>
#include <pasta/instrument/ptx/hooked_event.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <pasta/instrument/ptx/register_room.hpp>
#include <span>
#include <vector>

namespace pasta::ptx {

/// @param body a definition of the module @param rows counts up with each event that reaches a handler
std::vector<hooked_event> plan_events(module const& from, function const& body, std::span<hook const> hooks,
                                      std::uint32_t& rows);

/// Whether handlers want to know where the function's threads begin or end.
bool has_thread_events(module const& from, function const& body, std::span<hook const> hooks);

/// Which tools get nothing of a function, as their threads' states do not fit in its registers. @param room little: all
/// states have 16 bytes
std::vector<left_out_tool> find_left_out(std::span<hook const> hooks, register_room room);

/// Puts the hooks before their instructions. To be called before what else stands there is put in: an instruction's own
/// event comes first.
void write_events(edits& changes, module const& from, std::span<hooked_event const> events, std::span<hook const> hooks,
                  hook_places const& where, std::size_t& number);

/// What stands behind the registers of hooks at a function's begin: threads' states, thread_enter.
std::string begin_threads(function const& body, std::span<hook const> hooks, hook_places const& where,
                          std::size_t& number);

/// Puts thread_exit where threads end, and merges threads' states where they may leave the function.
/// @param ways_out statements behind which a thread may be gone
/// @param place_of where code may stand that must run before one of these calls: the statement that it comes before
void end_threads(edits& changes, module const& from, function const& body, std::vector<std::size_t> const& ways_out,
                 std::function<std::size_t(std::size_t)> const& place_of, std::span<hook const> hooks,
                 hook_places const& where, std::size_t& number);

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/event_sites.inl>
#endif
