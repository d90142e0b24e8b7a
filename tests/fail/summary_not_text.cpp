// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a tool's summary is one sentence: static constexpr std::string_view summary = "...", public
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
  static constexpr int summary = 3;
};
static_assert(pasta::check_tool<wrong>());
