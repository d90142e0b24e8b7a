// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a tool reports: void report(pasta::results<YourTool> const& found, pasta::report& out) const
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
};
static_assert(pasta::check_tool<wrong>());
