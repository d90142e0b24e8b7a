// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: watches has the wrong signature; expected: PASTA_DEVICE static constexpr bool watches(pasta::site_key
//   const& site), public
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using events = pasta::events<pasta::memory_access>;
  static void on_memory_access(pasta::context<wrong>& at, pasta::memory_access const& event);
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
  static constexpr bool watches(pasta::memory_access const& access);
};
static_assert(pasta::check_tool<wrong>());
