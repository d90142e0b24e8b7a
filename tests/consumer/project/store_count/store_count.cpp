// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "store_count.hpp"
PASTA_TOOL(store_count)
