// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_EMULATION_HIP_CONFORMANCE_TOOLS_HPP
#define PASTA_TESTS_EMULATION_HIP_CONFORMANCE_TOOLS_HPP

#include "space_lanes.hpp"
PASTA_PROBE_TOOLS(space_lanes)

#endif
