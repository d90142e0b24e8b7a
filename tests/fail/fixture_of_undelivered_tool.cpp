// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: the probe route does not deliver pasta::call; routes that do: ptx, patch
#include <pasta/testing.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::call>;
  static void on_call(pasta::context<wrong>& at, pasta::call const& event) {}
  void report(pasta::results<wrong> const& found, pasta::report& out) const {}
};
void run() { pasta::testing::fixture<wrong> const test; }
