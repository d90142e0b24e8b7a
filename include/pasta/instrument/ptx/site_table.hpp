// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the counters of a module mean, as JSON that travels in the module.
///
///     {"schema": "pasta.ptx.sites/1", "pasta": "0.1.0", "id": "2f…", "tools": ["access_count"],
///      "target": "sm_90", "counters": 2,
///      "places": [{"file": "a.cu", "line": 7, "column": 3, "function": "", "caller": null}],
///      "functions": [{"name": "_Z3addPf", "is_entry": true, "why": "", "sites": [
///        {"counter": 0, "place": 0, "opcode": "ld.global.f32", "line": 41,
///         "accesses": [{"kind": "load", "space": "global", "bytes": 4}]}]}]}
///
/// `place` and `caller` are indices in `places`, null where the module has no line information; `line` is that of the
/// PTX as the compiler wrote it. `bytes` is null where only the run tells. A function without counters says why.
#ifndef PASTA_INSTRUMENT_PTX_SITE_TABLE_HPP
#define PASTA_INSTRUMENT_PTX_SITE_TABLE_HPP

#include <cstdint>
#include <pasta/instrument/ptx/site.hpp>
#include <pasta/instrument/ptx/source_places.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptx {

struct table_site {
  std::uint32_t counter;
  std::size_t statement;
  std::string_view opcode;
  site what;
};
struct table_function {
  std::string_view name;
  bool is_entry;
  std::string why;  ///< it is not instrumented; empty: it is
  std::vector<table_site> sites;
};
struct site_table {
  std::string id;
  std::vector<std::string> tools;
  std::uint32_t counters = 0;
  std::vector<table_function> functions;
};

/// @param places of the module, the one that the table's statements are of
std::string to_json(site_table const& table, module const& from, source_places const& places);

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/site_table.inl>
#endif
