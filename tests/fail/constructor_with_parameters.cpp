// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a tool can be made without arguments: PASTA makes it to call report
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
  explicit wrong(int);
};
static_assert(pasta::check_tool<wrong>());
