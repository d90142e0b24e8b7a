// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: an empty pasta::tool_pack: name its tools
#include <pasta/instrument/check_tool.hpp>

static_assert(pasta::check_tool<pasta::tool_pack<>>());
