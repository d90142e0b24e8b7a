// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect no error
#include <pasta/instrument/check_tool.hpp>

template <unsigned Ways>
struct right : pasta::tool<right<Ways>> {
  using events = pasta::events<pasta::memory_access>;
  struct options {
    unsigned ways = Ways;
    static constexpr auto describe() { return std::tuple{pasta::option("ways", &options::ways, "ways of a set", 1u)}; }
  };
  static void on_memory_access(pasta::context<right>& at, pasta::memory_access const& event);
  void report(pasta::results<right> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<right<4>>());
static_assert(pasta::check_tool<pasta::tool_pack<right<4>, right<8>>>());
