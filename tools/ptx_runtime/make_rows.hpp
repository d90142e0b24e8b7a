// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTX_RUNTIME_MAKE_ROWS_HPP
#define PASTA_TOOLS_PTX_RUNTIME_MAKE_ROWS_HPP

#include <deque>
#include <pasta/session/ptx/collected.hpp>
#include <set>
#include <string>

#include "add_guest_rows.hpp"
#include "records.hpp"

namespace pasta::ptx {

/// What one tool may report of what was brought to the host. The result views the attachments' copies.
/// @param seen_elsewhere launches of kernels without counters that are another collector's to report
/// @param notes gets a sentence for the reader where something is to be said about the whole
collected make_rows(std::deque<function_record> const& records, std::deque<context_state> const& contexts,
                    std::string const& tool, launches_by_name seen_elsewhere, std::set<std::string>& notes);

/// How many launches of kernels were seen in whose modules nothing counts.
std::uint64_t count_plain_launches(std::deque<function_record> const& records);

}  // namespace pasta::ptx
#endif
