// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect no error
#include <pasta/instrument/check_tool.hpp>

// The overload that takes the event is called; others are the tool's own business.
struct right : pasta::tool<right> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<right>& at, pasta::memory_access const& event);
  static void on_memory_access(pasta::context<right>& at, std::uint64_t address);
  void report(pasta::results<right> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<right>());
