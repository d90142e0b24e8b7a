// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_LLVM_COUNT_TOOLS_HPP
#define PASTA_TESTS_LLVM_COUNT_TOOLS_HPP

struct access_count;
#include "access_count.hpp"
PASTA_PROBE_TOOLS(access_count)

#endif
