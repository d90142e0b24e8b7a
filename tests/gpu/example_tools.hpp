// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The tools that scripts/gpu_check builds examples with.
#ifndef PASTA_TESTS_GPU_EXAMPLE_TOOLS_HPP
#define PASTA_TESTS_GPU_EXAMPLE_TOOLS_HPP

// Declared first: a tool's header includes PASTA, and through it this file.
struct access_count;
struct coalescing;
struct matrix_tiles;
struct working_set;
#include <access_count.hpp>
#include <coalescing.hpp>
#include <matrix_tiles.hpp>
#include <working_set.hpp>
PASTA_PROBE_TOOLS(access_count, coalescing, matrix_tiles, working_set, tool_pack<access_count, coalescing>)

#endif
