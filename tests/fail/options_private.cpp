// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a tool's events, counts, options and states are public types
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;

 private:
  struct options {};
};
static_assert(pasta::check_tool<wrong>());
