// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a text is an option of report() alone: pasta::report_option(...)
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
  struct options {
    pasta::short_text name;
    static constexpr auto describe() { return std::tuple{pasta::option("name", &options::name, "kernel to look at")}; }
  };
};
static_assert(pasta::check_tool<wrong>());
