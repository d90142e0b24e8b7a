// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PATCH_RUNTIME_ROWS_HPP
#define PASTA_TOOLS_PATCH_RUNTIME_ROWS_HPP

#include <deque>
#include <list>
#include <pasta/session/ptx/collected.hpp>
#include <pasta/session/settings.hpp>
#include <set>
#include <string>

#include "records.hpp"

namespace pasta::patch {

/// What the tool may report of what was brought to the host. The result views the contexts' copies; lines are read from
/// the modules where they are asked for the first time.
/// @param notes gets a sentence for the reader where something is to be said about the whole
/// @param wanted what was to be sampled, and spaces of accesses that were chosen
ptx::collected make_rows(std::deque<kernel_record> const& records, std::list<context_record>& contexts,
                         settings const& wanted, std::set<std::string>& notes);

}  // namespace pasta::patch
#endif
