// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: this tool lists pasta::memory_access in its events but has no handler; add: PASTA_DEVICE static void
//   on_memory_access(pasta::context<YourTool>& at, pasta::memory_access const& event)
#include <pasta/testing.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  void report(pasta::results<wrong> const& found, pasta::report& out) const {}
};
void run() {
  pasta::testing::fixture<wrong> test;
  static_cast<void>(test.results());
  static_cast<void>(test.report());
}
