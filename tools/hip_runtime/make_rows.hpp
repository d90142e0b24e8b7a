// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_HIP_RUNTIME_MAKE_ROWS_HPP
#define PASTA_TOOLS_HIP_RUNTIME_MAKE_ROWS_HPP

#include <deque>
#include <pasta/session/ptx/collected.hpp>
#include <set>
#include <string>

#include "records.hpp"

namespace pasta::hip_runtime {

/// Whether the tool has shadow bits, and they were kept; not where launches are kept apart.
enum class bits : std::uint8_t { none, kept, unkept };

/// What one tool may report of what was brought to the host. The result views the attachments' copies.
/// @param notes gets a sentence for the reader where something is to be said about the whole
ptx::collected make_rows(std::deque<kernel_record> const& records, std::deque<device_record> const& devices,
                         std::string const& tool, std::set<std::string>& notes, bits which);

}  // namespace pasta::hip_runtime
#endif
