// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a tool with an address_period has no shadow bits: its handler does not get each request's address
#include <pasta/analysis/shadow_bits.hpp>
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  using shadow = pasta::shadow_bits<128>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
  static constexpr std::uint32_t address_period(options const&) { return 32; }
};
static_assert(pasta::check_tool<wrong>());
