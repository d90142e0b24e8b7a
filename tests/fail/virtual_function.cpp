// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a tool has no virtual function: handlers run on the GPU and are found at compile time
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  virtual void report(pasta::results<wrong> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<wrong>());
