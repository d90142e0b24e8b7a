// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "event_totals.hpp"

PASTA_TOOL(event_totals)
