// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: only events with a site can be counted: memory_access, async_copy, barrier, branch, matrix_operation,
//   call
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using counts = pasta::counted<pasta::memory_access, float>;
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<wrong>());
