// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <catch.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <pasta/config.hpp>
#include <pasta/instrument/ptx/instrument.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace ptx = pasta::ptx;
using nlohmann::json;

std::string const head = ".version 8.0\n.target sm_90a\n.address_size 64\n";

/// The table as a strict parser reads it: one value, nothing behind it.
json table_of(std::string const& source, std::vector<std::string> const& tools = {"one"}) {
  ptx::instrumented const result = ptx::count_accesses(ptx::read(source), tools);
  CHECK(result.json.find_first_not_of("\t\n\r") == 0);
  for (char const c : result.json) CHECK((c >= ' ' && c <= '~'));  // 7 bits, in one line
  return json::parse(result.json);
}
json sites_of(std::string const& body) {
  return table_of(head + ".entry k() {\n" + body + "\n}\n").at("functions").at(0).at("sites");
}

TEST_CASE("The table names the module, its tools and its functions") {
  json const table =
      table_of(head + ".func f() { ret; }\n.func g();\n.entry k() { ld.u32 a, [b]; ret; }\n", {"one", "two"});
  CHECK(table.at("schema") == "pasta.ptx.sites/3");
  CHECK(table.at("pasta") == PASTA_VERSION);
  CHECK(table.at("id").get<std::string>().size() == 32);
  CHECK(table.at("tools") == json::parse(R"(["one", "two"])"));
  CHECK(table.at("target") == "sm_90a");
  CHECK(table.at("counters") == 1);
  CHECK(table.at("places") == json::array());
  CHECK(table.at("functions") == json::parse(R"([
    {"name": "f", "is_entry": false, "why": "", "row": 0, "sites": []},
    {"name": "k", "is_entry": true, "why": "", "row": 1, "sites": [
      {"counter": 0, "place": null, "opcode": "ld.u32", "line": 6,
       "accesses": [{"kind": "load", "space": "generic", "bytes": 4}]}]}])"));
}

TEST_CASE("Each site says what it accesses") {
  json const sites = sites_of(
      "ld.global.v4.f32 {a, b, c, d}, [%rd1];\nst.shared.u8 [%r1], a;\natom.global.add.u64 a, [%rd1], b;\n"
      "red.f32.add [%rd1], a;\nld.param.u32 %r1, [k_param_0];\ncp.async.cg.shared.global [%r1], [%rd1], 16;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r3];\n"
      "tex.2d.v4.f32.f32 {a, b, c, d}, [%rd1, {e, f}];");
  REQUIRE(sites.size() == 7);
  auto const accesses = [&](std::size_t site) { return sites.at(site).at("accesses"); };
  CHECK(accesses(0) == json::parse(R"([{"kind": "load", "space": "global", "bytes": 16}])"));
  CHECK(accesses(1) == json::parse(R"([{"kind": "store", "space": "shared", "bytes": 1}])"));
  CHECK(accesses(2) == json::parse(R"([{"kind": "atomic", "space": "global", "bytes": 8}])"));
  CHECK(accesses(3).at(0).at("kind") == "atomic");
  CHECK(accesses(4) == json::parse(R"([{"kind": "load", "space": "global", "bytes": 16},
                                        {"kind": "store", "space": "shared", "bytes": 16}])"));
  CHECK(accesses(5).size() == 2);
  CHECK(accesses(5).at(0).at("bytes").is_null());  // a register holds them
  CHECK_FALSE(accesses(5).at(0).contains("why"));
  CHECK(accesses(6).at(0).at("space") == "texture");
  CHECK_FALSE(accesses(6).at(0).at("why").get<std::string>().empty());
  for (std::size_t i = 0; i < sites.size(); ++i) CHECK(sites.at(i).at("counter") == 0);
}

TEST_CASE("Counters are numbered through the module") {
  json const table = table_of(head +
                              ".func f() { ld.u32 a, [b]; @p ld.u32 a, [b]; ret; }\n"
                              ".entry k() { ld.u32 a, [b]; L: st.u32 [b], a; st.u32 [b], a; @p bra L; }\n");
  std::vector<int> counters;
  for (json const& function : table.at("functions")) {
    for (json const& site : function.at("sites")) counters.push_back(site.at("counter"));
  }
  CHECK(counters == std::vector<int>{0, 1, 3, 2, 2});
  CHECK(table.at("counters") == 4);
}

TEST_CASE("A site's line is that of the PTX, its place that of the program's source") {
  json const table =
      table_of(head +
               ".file 1 \"a.cu\"\n.file 2 \"b.cuh\"\n.entry k() {\nld.u32 a, [b];\n.loc 1 7 3\nld.u32 a, [b];\n"
               ".loc 2 9 5, function_name $L__info_string0, inlined_at 1 7 3\nld.u32 a, [b];\n"
               ".loc 1 7 3\nld.u32 a, [b];\n.loc 1 100 1\nadd;\n}\n"
               ".section .debug_str {\n$L__info_string0:\n.b8 95,90,49,102,118,0\n}\n");
  std::vector<json> places;
  std::vector<int> lines;
  for (json const& site : table.at("functions").at(0).at("sites")) {
    places.push_back(site.at("place"));
    lines.push_back(site.at("line"));
  }
  CHECK(places == std::vector<json>{nullptr, 0, 1, 0});
  CHECK(lines == std::vector<int>{7, 9, 11, 13});
  // A place that no site is at, or was inlined at, is left out.
  CHECK(table.at("places") == json::parse(R"([
    {"file": "a.cu", "line": 7, "column": 3, "function": "", "caller": null},
    {"file": "b.cuh", "line": 9, "column": 5, "function": "_Z1fv", "caller": 0}])"));
}

TEST_CASE("Hostile names come back, or are replaced where they are not text") {
  std::string const hostile = "a'b\\c <T,x> {}[] \x01 \x7f \t";
  json table =
      table_of(head + ".file 1 \"" + hostile + "\"\n.entry k() { .loc 1 1 1\nld.u32 a, [b]; }\n", {"a\"b\\\n\x01"});
  CHECK(table.at("places").at(0).at("file") == hostile);
  CHECK(table.at("tools").at(0) == "a\"b\\\n\x01");

  table = table_of(head + ".file 1 \"a\xff\xc3\x28z\"\n.entry k() { .loc 1 1 1\nld.u32 a, [b]; }\n", {"\xff"});
  CHECK(table.at("places").at(0).at("file") == "a\xef\xbf\xbd\xef\xbf\xbd(z");
  CHECK(table.at("tools").at(0) == "\xef\xbf\xbd");

  std::string const umlaut = "gr\xc3\xbc\xc3\x9f.cu";
  table = table_of(head + ".file 1 \"" + umlaut + "\"\n.entry k() { .loc 1 1 1\nld.u32 a, [b]; }\n");
  CHECK(table.at("places").at(0).at("file") == umlaut);

  std::string const name(10000, 'n');
  table = table_of(head + ".file 1 \"" + name + "\"\n.entry " + name + "() { .loc 1 1 1\nld.u32 a, [b]; }\n", {name});
  CHECK(table.at("functions").at(0).at("name") == name);
  CHECK(table.at("places").at(0).at("file") == name);
  CHECK(table.at("tools").at(0) == name);
}

/// The table's text as a GPU has it: words in memory, of which the state tells the bytes.
std::string text_in_module(std::string const& source) {
  ptx::module const m = ptx::read(source);
  std::string text;
  std::size_t bytes = 0;
  for (ptx::variable const& each : m.variables) {
    std::string_view const all = m.statements[each.statement].text;
    std::string const values(all.substr(all.find('{') + 1));
    if (each.name.starts_with("pasta_state_")) bytes = std::stoul(values.substr(values.find(", ", 3) + 2));
    if (!each.name.starts_with("pasta_sites_")) continue;
    CHECK(each.linked == ptx::linkage::weak);
    for (std::size_t at = 0; at != std::string::npos; at = values.find(',', at + 1)) {
      std::uint64_t const word = std::stoull(values.substr(at == 0 ? 0 : at + 1), nullptr, 0);
      for (int k = 0; k < 8; ++k) text += static_cast<char>(word >> 8 * k & 0xff);
    }
    CHECK(all.find('[' + std::to_string(text.size() / 8) + ']') != std::string_view::npos);
  }
  CHECK(text.size() - bytes < 8);
  for (std::size_t i = bytes; i < text.size(); ++i) CHECK(text[i] == '\0');
  text.resize(bytes);
  return text;
}

TEST_CASE("The module carries the table's text") {
  std::string name = "k";
  for (int i = 0; i < 9; ++i) {  // each length of the last word
    std::string const source = head + ".entry " + name + "() { ld.u32 a, [b]; }\n";
    ptx::instrumented const result = ptx::count_accesses(ptx::read(source), std::vector<std::string>{"one"});
    CHECK(text_in_module(result.text) == result.json);
    name += "k";
  }
}

}  // namespace
