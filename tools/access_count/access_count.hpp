// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_ACCESS_COUNT_HPP
#define PASTA_TOOLS_ACCESS_COUNT_HPP

#include <pasta/pasta.hpp>

/// How often each load, store and atomic of a kernel was executed, by source line. Nothing runs per access but a
/// counter.
struct access_count : pasta::tool<access_count> {
  using counts = pasta::counted<pasta::memory_access>;
  static constexpr std::string_view summary = "counts memory accesses and bytes by source line";

  void report(pasta::results<access_count> const& found, pasta::report& out) const {
    for (auto const& kernel : found.kernels) {
      auto columns = pasta::site_columns();
      columns.push_back({"accesses", "", pasta::column_role::value});
      columns.push_back({"bytes", "bytes", pasta::column_role::value});
      auto sites = out.kernel(kernel).table("sites", columns);
      for (auto const& row : kernel.sites) sites.add(row.site, row.executions, row.executions * row.site.size_bytes);

      auto totals = out.kernel(kernel).table("totals", {{"space", "", pasta::column_role::key},
                                                        {"access", "", pasta::column_role::key},
                                                        {"accesses", "", pasta::column_role::value},
                                                        {"bytes", "bytes", pasta::column_role::value}});
      struct total {
        std::uint64_t accesses = 0, bytes = 0;
      };
      std::map<std::pair<pasta::memory_space, pasta::operation>, total> by_kind;
      for (auto const& row : kernel.sites) {
        total& sum = by_kind[{row.site.space, row.site.what}];
        sum.accesses += row.executions;
        sum.bytes += row.executions * row.site.size_bytes;
      }
      for (auto const& [kind, sum] : by_kind)
        totals.add(to_string(kind.first), to_string(kind.second), sum.accesses, sum.bytes);
    }
  }
};

#endif
