// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <catch.hpp>
#include <nlohmann/json.hpp>
#include <pasta/instrument/ptx/instrument.hpp>
#include <pasta/session/ptx/read_site_table.hpp>

using nlohmann::json;
using pasta::ptx::read_site_table;
using pasta::ptx::read_table;
using pasta::ptx::table_error;

namespace {

json good() {
  return json::parse(R"({"schema": "pasta.ptx.sites/2", "pasta": ")" PASTA_VERSION R"(", "id": "2f", "tools": ["t"],
    "target": "sm_90", "counters": 2, "shard_bytes": 80, "shared_bytes": 24,
    "rows": [{"tool": "t", "function_rows": 1, "site_rows": 3,
              "shard": {"functions": 16, "function_bytes": 8, "sites": 24, "site_bytes": 16},
              "shared": {"functions": 0, "function_bytes": 0, "sites": 0, "site_bytes": 8}}],
    "places": [{"file": "a.cu", "line": 7, "column": 3, "function": "", "caller": null},
               {"file": "b.cuh", "line": 2, "column": 1, "function": "_Z1fv", "caller": 0}],
    "functions": [{"name": "_Z3addPf", "is_entry": true, "why": "", "row": 0, "sites": [
      {"counter": 1, "place": 1, "opcode": "cp.async", "line": 41,
       "accesses": [{"kind": "load", "space": "global", "bytes": 16, "row": 1, "in_order": 56, "in_order_step": 16},
                    {"kind": "store", "space": "shared::cluster", "bytes": null, "why": "unknown"}]},
      {"counter": null, "place": null, "opcode": "wmma.load", "line": 42,
       "accesses": [{"kind": "load", "space": "tensor memory", "bytes": 512, "share": "warp"},
                    {"kind": "atomic", "space": "generic", "bytes": 16, "share": "rows", "lanes": 8}]}]}]})");
}

std::string what_is_wrong(json const& table) {
  try {
    read_site_table(table.dump());
  } catch (table_error const& error) {
    return error.what();
  }
  return "";
}

// The table with one value replaced is refused with this in the message.
void check_refused(char const* pointer, json const& value, char const* message) {
  json table = good();
  table[json::json_pointer(pointer)] = value;
  INFO(pointer << " = " << value);
  std::string const wrong = what_is_wrong(table);
  CHECK(wrong.find(message) != std::string::npos);
  CHECK(wrong.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("a table is read with all that it says") {
  read_table const table = read_site_table(good().dump());
  CHECK(table.id == "2f");
  CHECK(table.counters == 2);
  CHECK(table.shard_bytes == 80);
  CHECK(table.shared_bytes == 24);
  REQUIRE(table.find_rows("t") != nullptr);
  CHECK(table.find_rows("t")->shard.sites == 24);
  CHECK(table.find_rows("u") == nullptr);
  CHECK(table.places[1].caller == std::size_t{0});
  REQUIRE(table.functions.size() == 1);
  auto const& sites = table.functions[0].sites;
  REQUIRE(sites.size() == 2);
  CHECK(sites[0].counter == 1u);
  CHECK(sites[0].accesses[0].row == 1u);
  CHECK(sites[0].accesses[0].in_order == 56u);
  CHECK(sites[0].accesses[0].in_order_step == 16);
  CHECK_FALSE(sites[0].accesses[1].row.has_value());
  CHECK(sites[0].accesses[0].size_bytes == 16u);
  CHECK(sites[0].accesses[1].space == pasta::memory_space::shared);
  CHECK_FALSE(sites[0].accesses[1].size_bytes.has_value());
  CHECK_FALSE(sites[1].counter.has_value());
  CHECK(sites[1].accesses[0].space == pasta::memory_space::tensor);
  CHECK(sites[1].accesses[0].by == read_table::maker::warp);
  CHECK(sites[1].accesses[1].lanes == 8);
}

TEST_CASE("the table that instrumenting makes is read") {
  std::string const source = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry add(.param .u64 p) {
  .reg .b64 %rd<3>;
  .reg .f32 %f<2>;
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.f32 %f1, [%rd2];
  st.global.f32 [%rd2+4], %f1;
  ret;
}
)";
  std::vector<std::string> const tools{"access_count"};
  auto const made = pasta::ptx::count_accesses(pasta::ptx::read(source), tools);
  read_table const table = read_site_table(made.json);
  CHECK(table.tools == tools);
  REQUIRE(table.functions.size() == 1);
  CHECK(table.functions[0].name == "add");
  CHECK(table.functions[0].sites.size() == 2);
}

TEST_CASE("what is not a table of this PASTA is refused with one line") {
  CHECK_THROWS_AS(read_site_table(""), table_error);
  CHECK_THROWS_AS(read_site_table("[]"), table_error);
  CHECK_THROWS_AS(read_site_table(std::string(100'000, '[')), table_error);
  std::string const text = good().dump();
  for (std::size_t size = 0; size < text.size(); ++size)
    CHECK_THROWS_AS(read_site_table(text.substr(0, size)), table_error);
  check_refused("/schema", "pasta.ptx.sites/4", "pasta.ptx.sites/4");
  check_refused("/schema", "a\nb", "a\\nb");
  check_refused("/pasta", "0.0.9", "it was built with PASTA 0.0.9");
  // What older tables do not have either is left out.
  for (char const* name : {"schema", "pasta", "id", "tools", "target", "counters", "places", "functions"}) {
    json table = good();
    table.erase(name);
    INFO(name);
    CHECK_THROWS_AS(read_site_table(table.dump()), table_error);
  }
}

TEST_CASE("numbers that are out of range are refused") {
  for (json const& bad : {json(-1), json(1.5), json("1"), json(true), json(std::uint64_t{1} << 40)}) {
    check_refused("/counters", bad, "'counters'");
    check_refused("/shard_bytes", bad, "'shard_bytes'");
    check_refused("/functions/0/sites/0/counter", bad, "'counter'");
    check_refused("/functions/0/sites/0/accesses/0/row", bad, "'row'");
    check_refused("/functions/0/sites/0/place", bad, "'place'");
    check_refused("/functions/0/sites/0/accesses/0/bytes", bad, "'bytes'");
    check_refused("/functions/0/sites/1/accesses/1/lanes", bad, "'lanes'");
    check_refused("/places/0/line", bad, "'line'");
    check_refused("/rows/0/site_rows", bad, "'site_rows'");
  }
  check_refused("/shard_bytes", 15, "do not fit");
  check_refused("/functions/0/sites/0/counter", 2, "'counter'");
  check_refused("/functions/0/sites/0/place", 2, "'place'");
  check_refused("/functions/0/sites/0/accesses/0/row", 3, "'row'");
  check_refused("/functions/0/row", 1, "'row'");
  check_refused("/places/1/caller", 1, "'caller'");  // chains end
  check_refused("/places/0/caller", 1, "'caller'");
}

TEST_CASE("a site's event and the tools that get nothing of a function are read") {
  json table = good();
  table["functions"][0]["sites"][0]["event"] = {{"kind", "copy"}, {"space", "shared"}, {"bytes", 16}, {"row", 2}};
  table["functions"][0]["sites"][1]["event"] = {
      {"kind", "matrix"}, {"space", "global"}, {"bytes", 0}, {"unhandled", "no word"}};
  table["functions"][0]["without"] = {{{"tool", "t"}, {"why", "too large"}}};
  read_table const read = read_site_table(table.dump());
  auto const& sites = read.functions[0].sites;
  REQUIRE(sites[0].event.has_value());
  CHECK(sites[0].event->kind == pasta::operation::copy);
  CHECK(sites[0].event->space == pasta::memory_space::shared);
  CHECK(sites[0].event->size_bytes == 16u);
  CHECK(sites[0].event->row == 2u);
  REQUIRE(sites[1].event.has_value());
  CHECK(sites[1].event->kind == pasta::operation::matrix);
  CHECK_FALSE(sites[1].event->row.has_value());
  CHECK(sites[1].event->unhandled == "no word");
  REQUIRE(read.functions[0].without.size() == 1);
  CHECK(read.functions[0].without[0].tool == "t");
  CHECK(read.functions[0].without[0].why == "too large");

  auto const wrong = [&](char const* pointer, json const& value) {
    json changed = table;
    changed[json::json_pointer(pointer)] = value;
    return what_is_wrong(changed);
  };
  CHECK(wrong("/functions/0/sites/0/event/kind", "load") == "its site table has an event 'load'");
  CHECK(wrong("/functions/0/sites/0/event/row", 3) == "'row' in its site table is out of range");
  CHECK(wrong("/functions/0/sites/0/event", 3) != "");
  CHECK(wrong("/functions/0/without", 3) == "'without' in its site table is not a list");
}

TEST_CASE("what a matrix operation multiplies is read") {
  json table = good();
  json const product = {{"m", 64},      {"n", 8},     {"k", 16},     {"products", 1},
                        {"lanes", 128}, {"a", "f16"}, {"b", "bf16"}, {"d", "f32"}};
  table["functions"][0]["sites"][0]["event"] = {
      {"kind", "matrix"}, {"space", "global"}, {"bytes", 0}, {"product", product}};
  read_table const read = read_site_table(table.dump());
  CHECK(read.functions[0].sites[0].event->tile == pasta::matrix_tile{64, 8, 16, 1, 128, "f16", "bf16", "f32"});
  CHECK(read.functions[0].sites[0].accesses.at(0).tile == pasta::matrix_tile{});
  auto const wrong = [&](char const* member, json const& value) {
    json changed = table;
    changed["functions"][0]["sites"][0]["event"]["product"][member] = value;
    return what_is_wrong(changed);
  };
  CHECK(wrong("m", 65537) == "'m' in its site table is out of range");
  CHECK(wrong("n", -1) == "'n' in its site table is out of range");
  CHECK(wrong("a", 3) == "its site table has something else where a text belongs");
  CHECK(wrong("lanes", 0) == "its site table has a matrix operation that nobody executes");
  CHECK(wrong("products", 0) == "its site table has a matrix operation that nobody executes");
  table["functions"][0]["sites"][0]["event"]["product"] = 3;
  CHECK(what_is_wrong(table) == "its site table has no object around 'm'");
}

TEST_CASE("rows that do not fit in their memory are refused") {
  check_refused("/rows/0/site_rows", 4, "rows of t do not fit");
  check_refused("/rows/0/shard/sites", 33, "rows of t do not fit");
  check_refused("/rows/0/shard/site_bytes", 1u << 31, "rows of t do not fit");
  check_refused("/rows/0/shared/site_bytes", 9, "rows of t do not fit");
  check_refused("/rows/0/function_rows", 1u << 31, "rows of t do not fit");
  check_refused("/rows/0/shard/site_bytes", 4, "rows of t are too short");
}

TEST_CASE("counts in order lie in the shard") {
  check_refused("/functions/0/sites/0/accesses/0/in_order", 57, "'in_order'");
  check_refused("/functions/0/sites/0/accesses/0/in_order", -1, "'in_order'");
  check_refused("/functions/0/sites/0/accesses/0/in_order_step", 17, "'in_order'");
  check_refused("/functions/0/sites/0/accesses/0/bytes", 64, "of another size");
  check_refused("/functions/0/sites/0/accesses/0/bytes", 0, "of another size");
  check_refused("/functions/0/sites/0/accesses/0/bytes", nullptr, "of another size");
}

TEST_CASE("words that are not known are refused") {
  check_refused("/functions/0/sites/0/accesses/0/kind", "copy", "an access 'copy'");
  check_refused("/functions/0/sites/0/accesses/0/space", "moon", "a space 'moon'");
  check_refused("/functions/0/sites/1/accesses/0/share", "crowd", "a share 'crowd'");
  check_refused("/functions/0/is_entry", 1, "'is_entry'");
  check_refused("/functions/0/name", 1, "where a text belongs");
  check_refused("/functions/0/sites", 1, "'sites'");
  check_refused("/places/0", 1, "no object");
}
