// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "site_lanes.hpp"

PASTA_TOOL(site_lanes)
