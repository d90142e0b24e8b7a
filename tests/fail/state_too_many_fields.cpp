// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: this tool's state has more than 16 fields: group some of them in a struct or an array
#include <pasta/analysis/count.hpp>
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
  struct site_state {
    pasta::count a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q;
  };
};
static_assert(pasta::check_tool<wrong>());
