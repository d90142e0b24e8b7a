// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: address_period has the wrong signature; expected: static constexpr std::uint32_t
//   address_period(options const& chosen), public
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
  static constexpr std::uint32_t address_period = 32;
};
static_assert(pasta::check_tool<wrong>());
