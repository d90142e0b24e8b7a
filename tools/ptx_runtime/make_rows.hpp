// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTX_RUNTIME_MAKE_ROWS_HPP
#define PASTA_TOOLS_PTX_RUNTIME_MAKE_ROWS_HPP

#include <deque>
#include <pasta/session/ptx/collected.hpp>
#include <set>
#include <string>

#include "demangled.hpp"
#include "records.hpp"

namespace pasta::ptx {

/// What one tool may report of what was brought to the host. The result views the attachments' copies.
/// @param notes gets a sentence for the reader where something is to be said about the whole
collected make_rows(std::deque<function_record> const& records, std::deque<context_state> const& contexts,
                    std::string const& tool, std::set<std::string>& notes);

}  // namespace pasta::ptx
#endif
