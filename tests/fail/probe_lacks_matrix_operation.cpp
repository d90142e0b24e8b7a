// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: the probe route does not deliver pasta::matrix_operation; routes that do: ptx, patch, llvm
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::matrix_operation>;
  static void on_matrix_operation(pasta::context<wrong>& at, pasta::matrix_operation const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<wrong>() && pasta::check_probe_delivers<wrong>());
