// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Any text is a site table whose numbers all point to something, or is refused with one line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <pasta/session/ptx/read_site_table.hpp>
#include <string_view>

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(pasta::ptx::read_table const& table) {
  require(table.shard_bytes >= std::uint64_t{table.counters} * 8);
  for (std::size_t i = 0; i < table.places.size(); ++i) require(!table.places[i].caller || *table.places[i].caller < i);
  for (auto const& function : table.functions) {
    for (auto const& rows : table.rows) require(!function.row || *function.row < rows.function_rows);
    for (auto const& site : function.sites) {
      require(!site.counter || *site.counter < table.counters);
      require(!site.place || *site.place < table.places.size());
      for (auto const& access : site.accesses) {
        for (auto const& rows : table.rows) require(!access.row || *access.row < rows.site_rows);
        if (!access.in_order) continue;
        std::uint64_t const last =
            *access.in_order + (32 / *access.size_bytes - 1) * std::uint64_t{access.in_order_step};
        require(last + 8 <= table.shard_bytes);
      }
    }
  }
  for (auto const& rows : table.rows) {
    auto const end = [&](pasta::ptx::read_table::area const& of) {
      return of.sites + std::uint64_t{rows.site_rows} * of.site_bytes;
    };
    require(rows.site_rows == 0 || rows.shard.site_bytes == 0 || end(rows.shard) <= table.shard_bytes);
    require(rows.site_rows == 0 || rows.shared.site_bytes == 0 || end(rows.shared) <= table.shared_bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, std::size_t size) {
  try {
    check(pasta::ptx::read_site_table({reinterpret_cast<char const*>(data), size}));
  } catch (pasta::ptx::table_error const& error) {
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
