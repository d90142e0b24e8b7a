// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The tools of the program in the .cpp of the same name.
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
};
PASTA_PROBE_TOOLS(wrong)
