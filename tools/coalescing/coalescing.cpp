// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "coalescing.hpp"

PASTA_TOOL(coalescing)
