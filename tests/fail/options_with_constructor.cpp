// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a tool's options are a plain struct of numbers, bools and pasta::short_texts with default values
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
  struct options {
    options() {}
    unsigned line_bytes = 128;
    static constexpr auto describe() {
      return std::tuple{pasta::option("line-bytes", &options::line_bytes, "size of a line [bytes]")};
    }
  };
};
static_assert(pasta::check_tool<wrong>());
