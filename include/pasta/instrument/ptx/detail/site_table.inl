// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_SITE_TABLE_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_SITE_TABLE_INL

#include <map>
#include <nlohmann/json.hpp>
#include <pasta/instrument/ptx/site_table.hpp>
#include <pasta/instrument/site.hpp>

namespace pasta::ptx {
namespace detail {

/// The places that sites are at, and those that they were inlined at, numbered as they are needed.
class used_places {
 public:
  explicit used_places(source_places const& all) : all_(&all) {}

  nlohmann::ordered_json number_of(std::uint32_t place) {
    if (place == no_place) return nullptr;
    if (auto const found = numbers_.find(place); found != numbers_.end()) return found->second;
    source_place const& what = (*all_)[place];
    nlohmann::ordered_json caller = number_of(what.caller);  // a lower number: this ends
    std::size_t const number = rows_.size();
    rows_.push_back({{"file", what.file},
                     {"line", what.line},
                     {"column", what.column},
                     {"function", what.function},
                     {"caller", std::move(caller)}});
    numbers_[place] = number;
    return number;
  }
  nlohmann::ordered_json take() { return std::move(rows_); }

 private:
  source_places const* all_;
  std::map<std::uint32_t, std::size_t> numbers_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

inline nlohmann::ordered_json json_of(access const& each, table_site::handled const& handled, std::uint32_t in_order) {
  nlohmann::ordered_json bytes = nullptr;
  if (each.size == size_source::text) bytes = each.size_bytes;
  nlohmann::ordered_json row = {
      {"kind", to_string(static_cast<operation>(each.kind))}, {"space", to_string(each.space)}, {"bytes", bytes}};
  if (each.why != obstacle::none) row["why"] = explain(each.why);
  if (each.share != share::lane) row["share"] = to_string(each.share);
  if (each.share == share::rows) row["lanes"] = each.lanes;
  if (handled.row != no_row) row["row"] = handled.row;
  if (handled.in_order != no_counts) {
    row["in_order"] = in_order + handled.in_order;
    row["in_order_step"] = handled.in_order_step;
  }
  if (!handled.why.empty()) row["unhandled"] = handled.why;
  return row;
}

inline nlohmann::ordered_json json_of(matrix_product const& made) {
  return {{"m", made.m},         {"n", made.n}, {"k", made.k}, {"products", made.count},
          {"lanes", made.lanes}, {"a", made.a}, {"b", made.b}, {"d", made.d}};
}

inline nlohmann::ordered_json json_of(site const& what, table_site::handled_event const& event) {
  nlohmann::ordered_json row = {
      {"kind", to_string(ptx::to_operation(*event.which))}, {"space", to_string(memory_space::global)}, {"bytes", 0}};
  if (*event.which == hook_function::async_copy && what.access_count == 2) {
    access const& written = what.all[1];
    row["space"] = to_string(written.space);
    row["bytes"] = nullptr;
    if (written.size == size_source::text) row["bytes"] = written.size_bytes;
  }
  if (*event.which == hook_function::matrix_operation) row["product"] = json_of(what.product);
  if (what.why != obstacle::none) row["why"] = explain(what.why);
  if (event.row != no_row) row["row"] = event.row;
  if (!event.why.empty()) row["unhandled"] = event.why;
  return row;
}

inline nlohmann::ordered_json json_of(table_rows const& tool, std::size_t functions, std::uint32_t sites) {
  return {{"tool", tool.tool},
          {"function_rows", functions},
          {"site_rows", sites},
          {"shard",
           {{"functions", tool.begin.functions_shard},
            {"function_bytes", tool.function_shard_bytes},
            {"sites", tool.begin.sites_shard},
            {"site_bytes", tool.site_shard_bytes}}},
          {"shared",
           {{"functions", tool.begin.functions_shared},
            {"function_bytes", tool.function_shared_bytes},
            {"sites", tool.begin.sites_shared},
            {"site_bytes", tool.site_shared_bytes}}}};
}

}  // namespace detail

inline std::string to_json(site_table const& table, module const& from, source_places const& places) {
  using json = nlohmann::ordered_json;
  detail::used_places used(places);
  json functions = json::array();
  for (table_function const& function : table.functions) {
    json sites = json::array();
    for (table_site const& site : function.sites) {
      json accesses = json::array();
      for (std::size_t i = 0; i < site.what.access_count; ++i) {
        accesses.push_back(detail::json_of(site.what.all[i], site.rows[i], table.in_order));
      }
      sites.push_back({{"place", used.number_of(places.number_of(site.statement))},
                       {"opcode", site.opcode},
                       {"line", from.statements[site.statement].line},
                       {"accesses", std::move(accesses)}});
      if (site.event.which) sites.back()["event"] = detail::json_of(site.what, site.event);
      if (site.counter != no_counter) sites.back()["counter"] = site.counter;
    }
    functions.push_back({{"name", function.name},
                         {"is_entry", function.is_entry},
                         {"why", function.why},
                         {"row", functions.size()},
                         {"sites", std::move(sites)}});
    for (left_out_tool const& each : function.without)
      functions.back()["without"].push_back({{"tool", each.tool}, {"why", each.why}});
  }
  json rows = json::array();
  for (table_rows const& tool : table.tool_rows) {
    rows.push_back(detail::json_of(tool, table.functions.size(), table.rows));
  }
  json const all = {{"schema", "pasta.ptx.sites/3"},
                    {"pasta", PASTA_VERSION},
                    {"id", table.id},
                    {"tools", table.tools},
                    {"target", from.target},
                    {"counters", table.counters},
                    {"shard_bytes", table.shard_bytes},
                    {"shared_bytes", table.shared_bytes},
                    {"rows", std::move(rows)},
                    {"places", used.take()},
                    {"functions", std::move(functions)}};
  return all.dump(-1, ' ', true, json::error_handler_t::replace);
}

}  // namespace pasta::ptx
#endif
