// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: thread_state is trivially copyable and default-constructible: it lives in registers
#include <pasta/instrument/check_tool.hpp>
#include <vector>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
  struct thread_state {
    std::vector<int> all;
  };
  static void fold(thread_state& state, pasta::context<wrong>& at);
};
static_assert(pasta::check_tool<wrong>());
