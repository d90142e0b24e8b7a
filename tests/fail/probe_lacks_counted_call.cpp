// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: the probe route does not deliver pasta::call; routes that do: ptx, patch
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using counts = pasta::counted<pasta::call>;
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<wrong>() && pasta::check_probe_delivers<wrong>());
