// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "working_set.hpp"

PASTA_TOOL(working_set)
