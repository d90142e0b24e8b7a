// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a tool's events name a type that is not an event; the events are the structs of pasta/event.hpp
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access, int>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<wrong>());
