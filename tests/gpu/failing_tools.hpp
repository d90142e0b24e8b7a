// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The tool that failures_test.cu is built with: PASTA_TOOLS=counter attaches it.
#ifndef PASTA_TESTS_GPU_FAILING_TOOLS_HPP
#define PASTA_TESTS_GPU_FAILING_TOOLS_HPP

#include "observer.hpp"

PASTA_PROBE_TOOLS(counter)

#endif
