// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a tool is a class that derives from pasta::tool<YourTool>
#include <pasta/instrument/check_tool.hpp>

static_assert(pasta::check_tool<int>());
