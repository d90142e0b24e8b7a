// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a tool says what it watches: using events = pasta::events<...> with handlers, or using counts =
//   pasta::counted<...>
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<wrong>());
