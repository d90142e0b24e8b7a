// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTX_RUNTIME_PROBE_PROGRAM_HPP
#define PASTA_TOOLS_PTX_RUNTIME_PROBE_PROGRAM_HPP

namespace pasta::ptx {

/// Whether the calling process's program was built with tools of the probe route, as its section .pasta_tools says.
bool has_probe_tools() noexcept;

}  // namespace pasta::ptx
#endif
