// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a tool's options are a plain struct of numbers, bools and pasta::short_texts with default values
#include <pasta/instrument/check_tool.hpp>
#include <string>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
  struct options {
    std::string name = "all";
  };
};
static_assert(pasta::check_tool<wrong>());
