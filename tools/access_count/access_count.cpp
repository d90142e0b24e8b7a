// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "access_count.hpp"

PASTA_TOOL(access_count)
