// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a tool derives publicly from pasta::tool of itself: struct your_tool : pasta::tool<your_tool>
#include <pasta/instrument/check_tool.hpp>

struct right : pasta::tool<right> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<right>& at, pasta::memory_access const& event);
  void report(pasta::results<right> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<pasta::tool_pack<right, pasta::tool_pack<right>>>());
