// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a tool with a thread_state merges it: PASTA_DEVICE static void fold(thread_state& state,
//   pasta::context<YourTool>& at)
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
  struct thread_state {
    unsigned accesses = 0;
  };
};
static_assert(pasta::check_tool<wrong>());
