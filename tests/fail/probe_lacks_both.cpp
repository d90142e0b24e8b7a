// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: the probe route does not deliver pasta::matrix_operation and pasta::call; routes that do: ptx, patch (and
//   llvm for matrix_operation)
#include <pasta/instrument/check_tool.hpp>

struct matrix_user : pasta::tool<matrix_user> {
  using events = pasta::events<pasta::matrix_operation>;
  static void on_matrix_operation(pasta::context<matrix_user>& at, pasta::matrix_operation const& event);
  void report(pasta::results<matrix_user> const& found, pasta::report& out) const;
};
struct call_user : pasta::tool<call_user> {
  using events = pasta::events<pasta::call>;
  static void on_call(pasta::context<call_user>& at, pasta::call const& event);
  void report(pasta::results<call_user> const& found, pasta::report& out) const;
};
using pack = pasta::tool_pack<matrix_user, call_user>;
static_assert(pasta::check_tool<pack>() && pasta::check_probe_delivers<pack>());
