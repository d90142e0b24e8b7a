// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix_tiles.hpp"

PASTA_TOOL(matrix_tiles)
