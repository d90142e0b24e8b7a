// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: this tool has a handler on_memory_access but does not list pasta::memory_access in its events; add it to:
//   using events = pasta::events<...>
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<wrong>());
