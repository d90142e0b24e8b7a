// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The tools that overhead.cu is built with: -DPASTA_PROBE_TOOLS_HEADER='"tools.hpp"'.
#ifndef PASTA_BENCHMARKS_OVERHEAD_TOOLS_HPP
#define PASTA_BENCHMARKS_OVERHEAD_TOOLS_HPP

// Declared first: a tool's header includes PASTA, and through it this file.
struct access_count;
struct coalescing;
#include <access_count.hpp>
#include <coalescing.hpp>
PASTA_PROBE_TOOLS(access_count, coalescing)

#endif
