// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a tool's counts are written: using counts = pasta::counted<pasta::memory_access, ...>
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using counts = pasta::events<pasta::memory_access>;
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<wrong>());
