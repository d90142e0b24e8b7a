// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: address_period without a handler on_memory_access: nobody would ask
#include <pasta/instrument/check_tool.hpp>

struct wrong : pasta::tool<wrong> {
  using counts = pasta::counted<pasta::memory_access>;
  void report(pasta::results<wrong> const& found, pasta::report& out) const;
  static constexpr std::uint32_t address_period(options const&) { return 32; }
};
static_assert(pasta::check_tool<wrong>());
