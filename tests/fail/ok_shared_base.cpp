// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect no error
#include <pasta/instrument/check_tool.hpp>

// What several tools have in common can stand in a template between them and pasta::tool.
template <class Derived>
struct address_tool : pasta::tool<Derived> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<Derived>& at, pasta::memory_access const& event);
};
struct right : address_tool<right> {
  void report(pasta::results<right> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<right>());
