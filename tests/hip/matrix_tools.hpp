// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_HIP_MATRIX_TOOLS_HPP
#define PASTA_TESTS_HIP_MATRIX_TOOLS_HPP

struct matrix_tiles;
#include <matrix_tiles.hpp>
PASTA_PROBE_TOOLS(matrix_tiles)

#endif
