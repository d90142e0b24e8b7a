// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a tool is checked after its class is complete
#include <pasta/instrument/check_tool.hpp>

struct wrong;
static_assert(pasta::check_tool<wrong>());
