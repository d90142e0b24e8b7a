// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which accesses of a function reach handlers, and the code before each.
#ifndef PASTA_INSTRUMENT_PTX_HOOK_SITES_HPP
#define PASTA_INSTRUMENT_PTX_HOOK_SITES_HPP

#include <cstddef>
#include <pasta/instrument/ptx/edits.hpp>
#include <pasta/instrument/ptx/hooked_access.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <pasta/instrument/ptx/register_room.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace pasta::ptx {

/// @param body a definition of the module @param room little: no request is kept in registers
/// @param totals the function's are added
std::vector<hooked_access> plan_hooks(module const& from, function const& body, std::span<hook const> hooks,
                                      register_room room, hook_totals& totals);

/// Registers that the code needs: behind the first `{` of a function, and behind what makes %pasta_at
/// (ptx/counting_code.hpp).
std::string hook_registers(std::span<hooked_access const> accesses);

/// Adds what requests that were kept in registers are to add, and keeps none: where a thread may leave the function.
/// Any lanes may come.
std::string fold_kept(std::span<hooked_access const> accesses, std::span<hook const> hooks, hook_places const& where,
                      ptx::module const& from);

/// Puts the hooks before their accesses. What is seldom executed stands at the function's end.
/// @param body the function
/// @param number counts up with each piece of code
void write_hooks(edits& changes, module const& from, function const& body, std::span<hooked_access const> accesses,
                 std::span<hook const> hooks, hook_places const& where, std::size_t& number);

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/hook_sites.inl>
#endif
