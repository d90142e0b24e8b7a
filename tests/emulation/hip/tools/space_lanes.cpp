// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "space_lanes.hpp"

PASTA_TOOL(space_lanes)
