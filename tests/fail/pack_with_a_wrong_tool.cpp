// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: this tool lists pasta::memory_access in its events but has no handler; add: PASTA_DEVICE static void
//   on_memory_access(pasta::context<YourTool>& at, pasta::memory_access const& event)
#include <pasta/instrument/check_tool.hpp>

struct right : pasta::tool<right> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<right>& at, pasta::memory_access const& event);
  void report(pasta::results<right> const& found, pasta::report& out) const;
};
struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<pasta::tool_pack<right, wrong>>());
