// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: on_kernel_end has the wrong signature; expected: static void on_kernel_end(pasta::context<YourTool>& at,
//   pasta::kernel_end const& event), public
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::kernel_end>;
  void on_kernel_end(pasta::context<wrong>& at, pasta::kernel_end const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<wrong>());
