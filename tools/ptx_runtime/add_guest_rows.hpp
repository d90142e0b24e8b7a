// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTX_RUNTIME_ADD_GUEST_ROWS_HPP
#define PASTA_TOOLS_PTX_RUNTIME_ADD_GUEST_ROWS_HPP

#include <cstdint>
#include <map>
#include <pasta/session/ptx/collected.hpp>
#include <string>

namespace pasta::ptx {

/// How many launches of each kernel another collector has seen, by demangled name.
using launches_by_name = std::map<std::string, std::uint64_t>;
launches_by_name count_launches(collected const& of);

/// Puts the sections that a guest has behind the host's. Both have numbered allocations for themselves: those of one
/// address and size are one, and get the host's number.
void add_guest_rows(collected const& from, collected& to);

}  // namespace pasta::ptx
#endif
