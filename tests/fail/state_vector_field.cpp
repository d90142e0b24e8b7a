// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: this tool's state is not a plain struct: it must have no base, constructor, private member or virtual
//   function, and be trivially copyable
#include <pasta/instrument/check_tool.hpp>
#include <vector>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
  struct program_state {
    std::vector<int> all;
  };
};
static_assert(pasta::check_tool<wrong>());
