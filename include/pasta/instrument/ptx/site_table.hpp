// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the counters of a module mean, as JSON that travels in the module.
///
///     {"schema": "pasta.ptx.sites/3", "pasta": "0.1.0", "id": "2f…", "tools": ["access_count", "coalescing"],
///      "target": "sm_90", "counters": 2, "shard_bytes": 64, "shared_bytes": 576,
///      "rows": [{"tool": "coalescing", "function_rows": 1, "site_rows": 1,
///        "shard": {"functions": 0, "function_bytes": 0, "sites": 32, "site_bytes": 32},
///        "shared": {"functions": 0, "function_bytes": 0, "sites": 0, "site_bytes": 576}}],
///      "places": [{"file": "a.cu", "line": 7, "column": 3, "function": "", "caller": null}],
///      "functions": [{"name": "_Z3addPf", "is_entry": true, "why": "", "row": 0, "sites": [
///        {"place": 0, "opcode": "ld.global.f32", "line": 41,
///         "accesses": [{"kind": "load", "space": "global", "bytes": 4, "row": 0, "in_order": 64,
///          "in_order_step": 8}], "counter": 0},
///        {"place": 0, "opcode": "bar.sync", "line": 45, "accesses": [],
///         "event": {"kind": "barrier", "space": "global", "bytes": 0, "row": 1}}]}]}
///
/// `place` and `caller` are indices in `places`, null where the module has no line information; `line` is that of the
/// PTX as the compiler wrote it. `bytes` is null where only the run tells. A function that is not instrumented says
/// why.
///
/// `rows` has the tools with handlers. Row r of a function or site lies at `functions` + r * `function_bytes` or
/// `sites` + r * `site_bytes`, in each shard and once at module_state::shared; instrument/hook_layout.hpp says what is
/// in it. There is no `counter` where no tool counts, no `row` where none watches; `unhandled` says why an access that
/// a tool watches did not reach its handler. `in_order` is where, in a shard, the first of 32 / `bytes` counts of 8
/// bytes is, if there are, `in_order_step` bytes apart: how many requests of whole warps, lane after lane, began at
/// each element of a sector; these are not in the rows. An access that is not each lane's own says `share`, and
/// `lanes` if only the first of a warp make it. `event` is what a site is beside its accesses, where a tool handles or
/// counts that: a copy (space and bytes are those of its write), a barrier, branch, matrix or call. A matrix has a
/// `product`, which is a pasta::matrix_tile: `{"m": 64, "n": 8, "k": 16, "products": 1, "lanes": 128, "a": "f16", "b":
/// "f16", "d": "f32"}`; m is 0 and the types are empty where a descriptor has them. A function may have `without`, a
/// list of `tool` and `why`: its handlers get nothing of the function.
#ifndef PASTA_INSTRUMENT_PTX_SITE_TABLE_HPP
#define PASTA_INSTRUMENT_PTX_SITE_TABLE_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <pasta/instrument/ptx/hooked_event.hpp>
#include <pasta/instrument/ptx/site_event.hpp>
#include <pasta/instrument/ptx/source_places.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptx {

inline constexpr std::uint32_t no_counter = UINT32_MAX;

struct table_site {
  struct handled {
    std::uint32_t row;                      ///< no_row: none
    std::uint32_t in_order, in_order_step;  ///< as in hooked_access
    std::string_view why;                   ///< a handler wants it and does not get it
  };
  std::uint32_t counter;  ///< no_counter: none
  std::size_t statement;
  std::string_view opcode;
  site what;
  std::array<handled, site::max_accesses> rows;  ///< by access
  /// Its event that is no access, if a tool handles or counts it.
  struct handled_event {
    std::optional<hook_function> which;
    std::uint32_t row = no_row;
    std::string_view why;
  };
  handled_event event;
};
struct table_function {
  std::string_view name;
  bool is_entry;
  std::string why;  ///< it is not instrumented; empty: it is
  std::vector<table_site> sites;
  std::vector<left_out_tool> without;  ///< tools that get nothing of it
};
/// Where a tool's rows are. Sizes of one row [bytes].
struct table_rows {
  std::string tool;
  row_places begin;
  std::uint32_t site_shard_bytes, site_shared_bytes, function_shard_bytes, function_shared_bytes;
};
struct site_table {
  std::string id;
  std::vector<std::string> tools;
  std::uint32_t counters = 0, rows = 0;
  std::uint32_t in_order = 0;  ///< counts of requests in order, in a shard [bytes]
  std::uint64_t shard_bytes = 0, shared_bytes = 0;
  std::vector<table_rows> tool_rows;
  std::vector<table_function> functions;
};

/// @param places of the module, the one that the table's statements are of
std::string to_json(site_table const& table, module const& from, source_places const& places);

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/site_table.inl>
#endif
