// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_PTX_DETAIL_READ_SITE_TABLE_INL
#define PASTA_SESSION_PTX_DETAIL_READ_SITE_TABLE_INL

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <pasta/config.hpp>
#include <pasta/report/visible.hpp>
#include <pasta/session/ptx/read_site_table.hpp>

namespace pasta::ptx {
namespace detail {

/// Takes members out of JSON objects; each is what it should be, or the table is not read.
class table_reader {
 public:
  using json = nlohmann::json;

  read_table read(std::string_view text) {
    json const all = json::parse(text, nullptr, false);
    if (!all.is_object()) throw table_error("its site table is not JSON");
    std::string const schema = text_of(all, "schema");
    if (schema != "pasta.ptx.sites/1" && schema != "pasta.ptx.sites/2" && schema != "pasta.ptx.sites/3")
      throw table_error(fmt::format("its site table is {}", visible(schema)));
    std::string const version = text_of(all, "pasta");
    if (version != PASTA_VERSION)
      throw table_error(fmt::format("it was built with PASTA {}, and this is {}", visible(version), PASTA_VERSION));
    table_.id = text_of(all, "id");
    table_.target = text_of(all, "target");
    for (json const& tool : list(all, "tools")) table_.tools.push_back(text_of(tool));
    table_.counters = number_of(all, "counters", std::numeric_limits<std::uint32_t>::max() / 8);
    std::uint32_t const counter_bytes = table_.counters * 8;
    table_.shard_bytes = all.contains("shard_bytes") ? number_of(all, "shard_bytes", max_bytes) : counter_bytes;
    if (table_.shard_bytes < counter_bytes) throw table_error("the counters do not fit in its shard_bytes");
    if (all.contains("shared_bytes")) table_.shared_bytes = number_of(all, "shared_bytes", max_bytes);
    if (all.contains("rows")) {
      for (json const& each : list(all, "rows")) table_.rows.push_back(read_rows(each));
    }
    auto const& places = list(all, "places");
    table_.places.reserve(places.size());
    for (json const& each : places) table_.places.push_back(read_place(each));
    auto const& functions = list(all, "functions");
    table_.functions.reserve(functions.size());
    for (json const& each : functions) table_.functions.push_back(read_function(each));
    return std::move(table_);
  }

 private:
  static constexpr std::uint32_t max_bytes = std::uint32_t{1} << 31;

  static json const& member(json const& of, char const* name) {
    if (!of.is_object()) throw table_error(fmt::format("its site table has no object around '{}'", name));
    auto const found = of.find(name);
    if (found == of.end()) throw table_error(fmt::format("its site table lacks '{}'", name));
    return *found;
  }
  static std::string text_of(json const& value) {
    if (!value.is_string()) throw table_error("its site table has something else where a text belongs");
    return value.get<std::string>();
  }
  static std::string text_of(json const& of, char const* name) { return text_of(member(of, name)); }
  static json const& list(json const& of, char const* name) {
    json const& found = member(of, name);
    if (!found.is_array()) throw table_error(fmt::format("'{}' in its site table is not a list", name));
    return found;
  }
  static bool truth_of(json const& of, char const* name) {
    json const& found = member(of, name);
    if (!found.is_boolean()) throw table_error(fmt::format("'{}' in its site table is not true or false", name));
    return found.get<bool>();
  }
  // From 0 to `most`.
  static std::uint32_t number_of(json const& of, char const* name, std::uint64_t most) {
    json const& found = member(of, name);
    if (!found.is_number_unsigned() || found.get<std::uint64_t>() > most)
      throw table_error(fmt::format("'{}' in its site table is out of range", name));
    return static_cast<std::uint32_t>(found.get<std::uint64_t>());
  }
  // A number below `end`; nothing where it is null or, in older tables, not there.
  static std::optional<std::uint32_t> index_of(json const& of, char const* name, std::uint64_t end) {
    auto const found = of.find(name);
    if (found == of.end() || found->is_null()) return std::nullopt;
    if (end == 0) throw table_error(fmt::format("'{}' in its site table is out of range", name));
    return number_of(of, name, end - 1);
  }

  read_table::area read_area(json const& from, read_table::tool_rows const& of, std::uint32_t size) const {
    read_table::area const area{number_of(from, "functions", max_bytes), number_of(from, "function_bytes", max_bytes),
                                number_of(from, "sites", max_bytes), number_of(from, "site_bytes", max_bytes)};
    auto const fits = [&](std::uint64_t begin, std::uint64_t rows, std::uint64_t row_bytes) {
      return rows * row_bytes == 0 ||
             (row_bytes <= size && rows <= size / row_bytes && begin + rows * row_bytes <= size);
    };
    if (!fits(area.functions, of.function_rows, area.function_bytes) ||
        !fits(area.sites, of.site_rows, area.site_bytes))
      throw table_error(fmt::format("the rows of {} do not fit in its memory", visible(of.tool)));
    return area;
  }
  read_table::tool_rows read_rows(json const& from) const {
    read_table::tool_rows rows;
    rows.tool = text_of(from, "tool");
    rows.function_rows = number_of(from, "function_rows", max_bytes);
    rows.site_rows = number_of(from, "site_rows", max_bytes);
    rows.shard = read_area(member(from, "shard"), rows, table_.shard_bytes);
    rows.shared = read_area(member(from, "shared"), rows, table_.shared_bytes);
    if (rows.site_rows != 0 && rows.shard.site_bytes < 8)  // a row begins with the executions
      throw table_error(fmt::format("the rows of {} are too short", visible(rows.tool)));
    return rows;
  }
  read_table::place read_place(json const& from) const {
    read_table::place place;
    place.file = text_of(from, "file");
    place.line = number_of(from, "line", std::numeric_limits<std::uint32_t>::max());
    place.column = number_of(from, "column", std::numeric_limits<std::uint32_t>::max());
    place.function = text_of(from, "function");
    place.caller = index_of(from, "caller", table_.places.size());  // a lower number: chains end
    return place;
  }
  // How many rows every tool has: one number for all.
  std::uint32_t common_rows(std::uint32_t read_table::tool_rows::*count) const {
    std::uint32_t rows = table_.rows.empty() ? 0 : table_.rows.front().*count;
    for (read_table::tool_rows const& each : table_.rows) rows = std::min(rows, each.*count);
    return rows;
  }
  void read_in_order(json const& from, read_table::access& into) const {
    std::uint32_t const size = into.size_bytes.value_or(0);
    if (size == 0 || size > 32 || 32 % size != 0)
      throw table_error("its site table has counts in order of an access of another size");
    into.in_order = number_of(from, "in_order", max_bytes);
    if (from.contains("in_order_step")) into.in_order_step = number_of(from, "in_order_step", max_bytes);
    if (*into.in_order + std::uint64_t{32 / size - 1} * into.in_order_step + 8 > table_.shard_bytes)
      throw table_error("'in_order' in its site table is out of range");
  }
  read_table::access read_access(json const& from, operation kind) const {
    read_table::access access;
    access.kind = kind;
    access.space = space_of(text_of(from, "space"));
    if (!member(from, "bytes").is_null())
      access.size_bytes = number_of(from, "bytes", std::numeric_limits<std::uint32_t>::max());
    if (from.contains("why")) access.why = text_of(from, "why");
    if (from.contains("share")) access.by = maker_of(text_of(from, "share"));
    if (access.by == read_table::maker::rows) access.lanes = number_of(from, "lanes", 32);
    if (std::uint32_t const rows = common_rows(&read_table::tool_rows::site_rows); rows != 0)
      access.row = index_of(from, "row", rows);
    if (from.contains("unhandled")) access.unhandled = text_of(from, "unhandled");
    if (from.contains("in_order")) read_in_order(from, access);
    return access;
  }
  // An instruction's, whose text is in the module: numbers are small.
  static pasta::matrix_tile read_tile(json const& from) {
    constexpr std::uint32_t most = 65536;
    pasta::matrix_tile tile{number_of(from, "m", most),
                            number_of(from, "n", most),
                            number_of(from, "k", most),
                            number_of(from, "products", most),
                            number_of(from, "lanes", most),
                            text_of(from, "a"),
                            text_of(from, "b"),
                            text_of(from, "d")};
    if (tile.products == 0 || tile.lanes == 0)
      throw table_error("its site table has a matrix operation that nobody executes");
    return tile;
  }
  read_table::site read_site(json const& from) const {
    read_table::site site;
    site.opcode = text_of(from, "opcode");
    site.counter = index_of(from, "counter", table_.counters);
    site.place = index_of(from, "place", table_.places.size());
    for (json const& each : list(from, "accesses"))
      site.accesses.push_back(read_access(each, kind_of(text_of(each, "kind"))));
    if (auto const event = from.find("event"); event != from.end()) {
      site.event = read_access(*event, event_of(text_of(*event, "kind")));
      if (event->contains("product")) site.event->tile = read_tile(event->at("product"));
    }
    return site;
  }
  read_table::function read_function(json const& from) const {
    read_table::function function;
    function.name = text_of(from, "name");
    function.is_entry = truth_of(from, "is_entry");
    function.why = text_of(from, "why");
    if (std::uint32_t const rows = common_rows(&read_table::tool_rows::function_rows); rows != 0)
      function.row = index_of(from, "row", rows);
    auto const& sites = list(from, "sites");
    function.sites.reserve(sites.size());
    for (json const& each : sites) function.sites.push_back(read_site(each));
    if (from.contains("without")) {
      for (json const& each : list(from, "without"))
        function.without.push_back({text_of(each, "tool"), text_of(each, "why")});
    }
    return function;
  }

  static operation kind_of(std::string const& name) {
    if (name == "load") return operation::load;
    if (name == "store") return operation::store;
    if (name == "atomic") return operation::atomic;
    throw table_error(fmt::format("its site table has an access '{}'", visible(name)));
  }
  static operation event_of(std::string const& name) {
    for (operation const what :
         {operation::copy, operation::barrier, operation::branch, operation::matrix, operation::call}) {
      if (name == to_string(what)) return what;
    }
    throw table_error(fmt::format("its site table has an event '{}'", visible(name)));
  }
  static memory_space space_of(std::string const& name) {
    if (name == "shared::cluster") return memory_space::shared;
    if (name == "tensor memory") return memory_space::tensor;
    for (memory_space space = memory_space::global; space <= memory_space::tensor;
         space = static_cast<memory_space>(static_cast<std::uint8_t>(space) + 1)) {
      if (name == to_string(space)) return space;
    }
    throw table_error(fmt::format("its site table has a space '{}'", visible(name)));
  }
  static read_table::maker maker_of(std::string const& name) {
    if (name == "lane") return read_table::maker::lane;
    if (name == "rows") return read_table::maker::rows;
    if (name == "warp") return read_table::maker::warp;
    if (name == "warp_group") return read_table::maker::warp_group;
    throw table_error(fmt::format("its site table has a share '{}'", visible(name)));
  }

  read_table table_;
};

}  // namespace detail

inline read_table::tool_rows const* read_table::find_rows(std::string_view tool) const {
  auto const found = std::find_if(rows.begin(), rows.end(), [&](tool_rows const& each) { return each.tool == tool; });
  return found == rows.end() ? nullptr : &*found;
}

inline read_table read_site_table(std::string_view text) { return detail::table_reader().read(text); }

}  // namespace pasta::ptx
#endif
