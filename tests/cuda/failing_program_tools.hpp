// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_CUDA_FAILING_PROGRAM_TOOLS_HPP
#define PASTA_TESTS_CUDA_FAILING_PROGRAM_TOOLS_HPP

#include <access_count.hpp>

PASTA_PROBE_TOOLS(access_count)

#endif
