// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a tool with an address_period has no thread_state: its handler is called for one of many requests
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
  static constexpr std::uint32_t address_period(options const&) { return 32; }
  struct thread_state {
    unsigned accesses = 0;
  };
  static void fold(thread_state& state, pasta::context<wrong>& at);
};
static_assert(pasta::check_tool<wrong>());
