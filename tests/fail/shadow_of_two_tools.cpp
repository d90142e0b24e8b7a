// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: a pasta::tool_pack has one tool with shadow bits
#include <pasta/analysis/shadow_bits.hpp>
#include <pasta/instrument/check_tool.hpp>

template <int Number>
struct watch : pasta::tool<watch<Number>> {
  using events = pasta::events<pasta::memory_access>;
  using shadow = pasta::shadow_bits<128>;
  static void on_memory_access(pasta::context<watch>& at, pasta::memory_access const& event);
  void report(pasta::results<watch> const& found, pasta::report& out) const;
};
static_assert(pasta::check_tool<pasta::tool_pack<watch<1>, watch<2>>>());
