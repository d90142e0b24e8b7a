// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a field of this tool's state does not merge: use pasta::count, max, histogram, ... or give the type a
//   member void merge(T const&)
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
  struct launch_state {
    struct by_kind {
      unsigned loads;
    } kinds[2];
  };
};
static_assert(pasta::check_tool<wrong>());
