// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect no error
#include <pasta/instrument/check_tool.hpp>

namespace company::tools {
struct right : pasta::tool<right> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<right>& at, pasta::memory_access const& event);
  void report(pasta::results<right> const& found, pasta::report& out) const;
};
}  // namespace company::tools
static_assert(pasta::check_tool<company::tools::right>());
static_assert(pasta::tool_name<company::tools::right>() == "right");

namespace {
struct hidden : pasta::tool<hidden> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<hidden>& at, pasta::memory_access const& event);
  void report(pasta::results<hidden> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<hidden>());
}  // namespace
