// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <catch.hpp>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <pasta/instrument/ptx/instrument.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace ptx = pasta::ptx;

/// Words of an ABI: a tool with rows of 16 and 24 bytes that watches the given sites.
std::string abi_words(std::uint64_t watched = ~std::uint64_t{0}, std::uint32_t period = 0,
                      std::uint32_t kept = pasta::detail::never_kept) {
  std::uint32_t const words[] = {
      pasta::detail::hook_abi_version,           0,    1, 16, 24, 0, 0,     static_cast<std::uint32_t>(watched),
      static_cast<std::uint32_t>(watched >> 32), kept, 8, 0,  0,  0, period};
  return fmt::format(".visible .const .align 4 .u32 pasta_hook_abi[{}] = {{{}}};\n", std::size(words),
                     fmt::join(words, ", "));
}

constexpr std::string_view parameters =
    "(.param .b64 p0, .param .b32 p1, .param .b32 p2, .param .b32 p3, .param .b32 p4, .param .b64 p5, .param .b64 p6, "
    ".param .b64 p7, .param .b64 p8, .param .b32 p9)";

std::string hook_text(std::string_view body, std::string_view before = "", std::string const& abi = abi_words()) {
  return fmt::format(
      ".version 7.0\n.target sm_80\n.address_size 64\n{}{}.visible .func (.param .b64 r) pasta_hook_memory_access{}\n"
      "{{\n.reg .pred %p<3>;\n.reg .b16 %rs<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n{}}}\n",
      abi, before, parameters, body);
}

std::string error_of(std::string_view text) {
  try {
    ptx::hook("watcher", text);
  } catch (ptx::bad_hook const& error) {
    return error.what();
  }
  return "none";
}
std::string error_of_body(std::string_view body) { return error_of(hook_text(body)); }

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::vector<ptx::hook_operand> const operands{{"%a", false},   {"4", true},     {"1", true},     {"%s", false},
                                              {"7", true},     {"%row", false}, {"%one", false}, {"%fun", false},
                                              {"%all", false}, {"0", true}};

std::string module_of(std::string_view body, std::string_view target = "sm_90") {
  return fmt::format(
      ".version 8.0\n.target {}\n.address_size 64\n.entry k()\n{{\n.reg .pred %p<5>;\n.reg .b32 %r<9>;\n"
      ".reg .b64 %rd<9>;\n{}\n}}\n",
      target, body);
}
std::vector<ptx::hook> one_hook(std::string const& text) {
  std::vector<ptx::hook> hooks;
  hooks.emplace_back("watcher", text);
  return hooks;
}
std::string const adds =
    hook_text("ld.param.u64 %rd1, [p0];\nld.param.u64 %rd2, [p5];\nred.global.add.u64 [%rd2], %rd1;\nret;\n");

struct made {
  std::string text;
  nlohmann::json table;
};
made instrument(std::string const& source, std::vector<ptx::hook> const& hooks) {
  ptx::instrumented const result = ptx::instrument(ptx::read(source), hooks);
  return {result.text, nlohmann::json::parse(result.json)};
}

}  // namespace

TEST_CASE("A hook's body has its own registers and labels, and parameters are moved") {
  ptx::hook const hook("watcher",
                       hook_text("ld.param.u64 %rd1, [p0];\nld.param.u32 %r1, [p1];\nld.param.u8 %rs1, [p2];\n"
                                 "ld.param.u8 %rs2, [p3];\nsetp.eq.s32 %p1, %r1, 4;\n@%p1 bra $L__BB0_2;\n"
                                 "mov.u32 %r2, %laneid;\n@!%p1 ret;\n$L__BB0_2:\n{ .reg .b32 t; mov.u32 t, %r2; }\n"
                                 "ret;\n"));
  std::string const body = hook.body(operands, 12);
  CHECK(has(body, "mov.b64 \t%pasta_h_rd1, %a;"));
  CHECK(has(body, "mov.b32 \t%pasta_h_r1, 4;"));
  CHECK(has(body, "mov.b16 \t%pasta_h_rs1, 1;"));
  CHECK(has(body, "cvt.u8.u32 \t%pasta_h_rs2, %s;"));
  CHECK(has(body, "@%pasta_h_p1 bra $pasta_h12_L__BB0_2;"));
  CHECK(has(body, "mov.u32 %pasta_h_r2, %laneid;"));
  CHECK(has(body, "@!%pasta_h_p1 bra \t$pasta_h12_end;"));
  CHECK(has(body, "$pasta_h12_L__BB0_2:"));
  CHECK(has(body, "mov.u32 t, %pasta_h_r2;"));
  CHECK(has(body, ".reg .b32 %pasta_h_r<9>;"));
  CHECK(body.starts_with("\t{\n"));
  CHECK(body.ends_with("\t}\n$pasta_h12_end:\n"));
  CHECK_FALSE(has(body, "ret;"));
}

TEST_CASE("A hook says what it is") {
  ptx::hook const hook("watcher", adds);
  CHECK(hook.architecture() == 80);
  CHECK(hook.version() == 700);
  CHECK(hook.handles_accesses());
  CHECK_FALSE(hook.counts_accesses());
  CHECK(hook.word(pasta::detail::abi_site_shared_bytes) == 24);
  CHECK(ptx::hook::counting("access_count").counts_accesses());
  CHECK_FALSE(ptx::hook::counting("access_count").handles_accesses());
}

TEST_CASE("A hook watches the sites that its tool watches") {
  using pasta::access_kind, pasta::memory_space;
  std::uint64_t const bit = std::uint64_t{1}
                            << pasta::detail::watched_bit(static_cast<std::uint32_t>(access_kind::store),
                                                          static_cast<std::uint32_t>(memory_space::shared), 2);
  ptx::hook const hook("watcher", hook_text("ret;\n", "", abi_words(bit)));
  CHECK(hook.watches(access_kind::store, ptx::state_space::shared, 4));
  CHECK(hook.watches(access_kind::store, ptx::state_space::generic, 4));
  CHECK(hook.watches(access_kind::store, ptx::state_space::global, 12));  // not told: asked at run time
  CHECK_FALSE(hook.watches(access_kind::store, ptx::state_space::shared, 8));
  CHECK_FALSE(hook.watches(access_kind::store, ptx::state_space::global, 4));
  CHECK_FALSE(hook.watches(access_kind::load, ptx::state_space::shared, 4));
  CHECK_FALSE(hook.watches(access_kind::store, ptx::state_space::constant, 4));
}

TEST_CASE("A hook that breaks the ABI is refused by name") {
  CHECK(error_of_body("call f, ();\nret;\n") == "the hook of watcher calls a function (line 11)");
  CHECK(error_of_body("bar.sync 0;\nret;\n") == "the hook of watcher has a barrier (line 11)");
  CHECK(error_of_body("bar.warp.sync 0xffffffff;\nret;\n") == "none");
  CHECK(error_of_body("exit;\n") == "the hook of watcher ends the thread (line 11)");
  CHECK(error_of_body("@%p1 trap;\nret;\n") == "the hook of watcher ends the thread (line 11)");
  CHECK(error_of_body(".local .b8 x[8];\nret;\n") == "the hook of watcher has memory of its own (line 11)");
  CHECK(error_of_body("ld.local.u32 %r1, [%rd1];\nret;\n") == "the hook of watcher has memory of its own (line 11)");
  CHECK(error_of_body("mov.b64 %rd1, p0;\nret;\n") == "the hook of watcher takes the address of a parameter (line 11)");
  CHECK(error_of_body("ld.param.u32 %r1, [p0+4];\nret;\n") ==
        "the hook of watcher reads a parameter in an unknown way (line 11)");
  CHECK(error_of(hook_text("ld.global.u32 %r1, [x];\nret;\n", ".extern .global .u32 x;\n")) ==
        "the hook of watcher needs a variable of others (line 12)");
  CHECK(error_of(hook_text("ld.shared.u32 %r1, [x];\nret;\n", ".shared .u32 x;\n")) ==
        "the hook of watcher has memory of its own (line 12)");
}

TEST_CASE("A hook of another version, or none, is refused by name") {
  CHECK(error_of(".version 7.0\n.target sm_80\n") == "the hook of watcher is none: it has no pasta_hook_abi");
  CHECK(error_of(hook_text("ret;\n", "", ".const .u32 pasta_hook_abi[2] = {99, 0};\n")) ==
        fmt::format("the hook of watcher is of version 99, not {}", pasta::detail::hook_abi_version));
  CHECK(error_of(hook_text("ret;\n", "", ".const .u32 pasta_hook_abi[99] = {1};\n")) != "other");
  CHECK(error_of(
            hook_text("ret;\n", "",
                      fmt::format(".const .u32 pasta_hook_abi[2] = {{{}, 1}};\n", pasta::detail::hook_abi_version))) ==
        "the hook of watcher is none: block_enter and block_exit need a barrier of the block, and the ptx route adds "
        "none; the route probe has them");
  CHECK(error_of(hook_text("ret;\n", "", abi_words(~std::uint64_t{0}, 0, 5))) == "none");
  std::string odd = abi_words();
  odd.replace(odd.find(" 16, "), 5, " 17, ");
  CHECK(error_of(hook_text("ret;\n", "", odd)) == "the hook of watcher has rows of an impossible size");
  std::string outside = abi_words(~std::uint64_t{0}, 32, 1);
  outside.replace(outside.find("1, 8, 0"), 7, "1, 16, 0");
  CHECK(error_of(hook_text("ret;\n", "", outside)) == "the hook of watcher keeps counts outside of its rows");
  CHECK(error_of(".version 7.0\n.target sm_80\n" + abi_words()) ==
        "the hook of watcher has no function pasta_hook_memory_access");
  CHECK(error_of(".version 7.0\n.target sm_80\n" + abi_words() +
                 ".visible .func pasta_hook_memory_access(.param .b32 x)\n{\nret;\n}\n") ==
        "the hook of watcher has other parameters (line 4)");
}

TEST_CASE("What a hook reads stands in the module once") {
  ptx::hook const hook("watcher", hook_text("ld.const.u32 %r1, [$table+4];\nld.global.u64 %rd1, [list];\nret;\n",
                                            ".const .align 4 .b32 $table[2] = {1, 2};\n"
                                            ".global .align 8 .u64 list[1] = {generic($table)};\n"
                                            ".global .u32 unused;\n"));
  CHECK(has(hook.declarations(), ".const .align 4 .b32 pasta_watcher_table[2] = {1, 2};"));
  CHECK(has(hook.declarations(), "pasta_watcher_list[1] = {generic(pasta_watcher_table)};"));
  CHECK_FALSE(has(hook.declarations(), "unused"));
  CHECK(has(hook.body(operands, 0), "[pasta_watcher_table+4]"));

  std::vector<ptx::hook> hooks{hook};
  made const two = instrument(module_of("ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\nret;"), hooks);
  CHECK(occurrences(two.text, "pasta_watcher_table[2] = {") == 1);
  CHECK(occurrences(two.text, "[pasta_watcher_table+4]") == 2);
}

TEST_CASE("The address of an access is what its operand says") {
  auto const address_of = [](std::string const& operand) {
    std::string const text =
        instrument(module_of(fmt::format("ld.global.u32 %r1, {};\nret;", operand)), one_hook(adds)).text;
    std::size_t const begin = text.find("bra \t$pasta_past0;") + 18;
    std::string code = text.substr(begin, text.find("\tactivemask.b32 \t%pasta_group", begin) - begin);
    std::erase(code, '\t');
    std::erase(code, '\n');
    return code;
  };
  CHECK(address_of("[%rd4]") == "mov.u64 %pasta_address, %rd4;");
  CHECK(address_of("[%rd4+16]") == "add.s64 %pasta_address, %rd4, 16;");
  CHECK(address_of("[%rd4+-4]") == "add.s64 %pasta_address, %rd4, -4;");
  CHECK(address_of("[%r4+8]") == "add.s32 %pasta_low, %r4, 8;cvt.u64.u32 %pasta_address, %pasta_low;");
  CHECK(address_of("[symbol+8]") == "mov.u64 %pasta_address, symbol;add.s64 %pasta_address, %pasta_address, 8;");
  CHECK(address_of("[4096]") == "mov.u64 %pasta_address, 4096;");
}

TEST_CASE("A guard holds for the hook too") {
  std::string const text = instrument(module_of("@!%p2 ld.global.u32 %r1, [%rd1];\nret;"), one_hook(adds)).text;
  CHECK(has(text, "\t@%p2 bra \t$pasta_past"));
}

TEST_CASE("A generic address's space is found out at run time") {
  std::string const text =
      instrument(module_of("ld.u32 %r1, [%rd1];\nret;"), one_hook(hook_text("ld.param.u32 %r1, [p3];\nret;\n"))).text;
  CHECK(has(text, "isspacep.shared \t%pasta_adds, %pasta_address;"));
  CHECK(has(text, "mov.b32 \t%pasta_h_r1, %pasta_space;"));
}

TEST_CASE("A copy is a read and a write, and one of nothing reads nothing") {
  made const result = instrument(module_of("cp.async.ca.shared.global [%r1], [%rd1], 4, %r2;\nret;"), one_hook(adds));
  auto const& accesses = result.table["functions"][0]["sites"][0]["accesses"];
  CHECK(accesses[0]["row"] == 0);
  CHECK(accesses[1]["row"] == 1);
  CHECK(has(result.text, "min.u32 \t%pasta_size, %r2, 4;\n\tsetp.eq.u32 \t%pasta_adds, %pasta_size, 0;"));
}

TEST_CASE("Lanes with other sizes or spaces come in turn") {
  std::string const reads = hook_text("ld.param.u32 %r1, [p1];\nret;\n");
  std::string const text =
      instrument(module_of("cp.async.ca.shared.global [%r1], [%rd1], 4, %r2;\nld.u32 %r3, [%rd2];\nret;"),
                 one_hook(reads))
          .text;
  // The copy's read and the generic load; the copy's write has one size.
  CHECK(occurrences(text, "setp.ne.or.u32 \t%pasta_turns, %pasta_other, %pasta_high, %pasta_adds;") == 2);
}

TEST_CASE("A bulk copy of nothing is no access") {
  std::string const text =
      instrument(
          module_of("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r3];\n"
                    "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 0x20;\nret;"),
          one_hook(hook_text("ld.param.u32 %r1, [p1];\nret;\n")))
          .text;
  CHECK(occurrences(text, "mov.b32 \t%pasta_size, %r2;\n\tsetp.eq.u32 \t%pasta_adds, %pasta_size, 0;") == 2);
  CHECK(occurrences(text, "mov.b32 \t%pasta_h_r1, 32;") == 2);
}

TEST_CASE("Offsets of accesses that are tested together may be hexadecimal") {
  std::string const text =
      instrument(module_of("ld.global.u32 %r1, [%rd1+0x4];\nld.global.u32 %r2, [%rd1+-0x14];\nret;"),
                 one_hook(hook_text("ret;\n", "", abi_words(~std::uint64_t{0}, 32))))
          .text;
  CHECK(has(text, "add.u32 \t%pasta_high, %pasta_low0, 4;"));
  CHECK(has(text, "add.u32 \t%pasta_high, %pasta_low0, -20;"));
}

TEST_CASE("What a handler cannot have is told in the table") {
  made const result =
      instrument(module_of("ld.const.u32 %r1, [%rd1];\nwmma.load.a.sync.aligned.m16n16k16.global.row.f16 "
                           "{%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1], %r1;\nld.global.u32 %r1, [%rd1];\nret;"),
                 one_hook(adds));
  auto const& sites = result.table["functions"][0]["sites"];
  CHECK(sites[0]["accesses"][0]["unhandled"] == "handlers see global, shared and local memory alone");
  CHECK(sites[1]["accesses"][0]["unhandled"] == "the warp makes it together, with one address");
  CHECK_FALSE(sites[2]["accesses"][0].contains("unhandled"));
  CHECK(sites[2]["accesses"][0]["row"] == 0);
  CHECK_FALSE(sites[2].contains("counter"));
}

TEST_CASE("Rows lie behind the counters, tool after tool") {
  std::vector<ptx::hook> hooks = one_hook(adds);
  hooks.push_back(ptx::hook::counting("access_count"));
  hooks.emplace_back("other", hook_text("ret;\n"));
  made const result = instrument(module_of("ld.global.u32 %r1, [%rd1];\nst.shared.u32 [%r1], %r1;\nret;"), hooks);
  CHECK(result.table["counters"] == 1);
  CHECK(result.table["tools"] == nlohmann::json{"watcher", "access_count", "other"});
  auto const& rows = result.table["rows"];
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["tool"] == "watcher");
  CHECK(rows[0]["site_rows"] == 2);
  CHECK(rows[0]["shard"]["sites"] == 32);
  CHECK(rows[0]["shard"]["site_bytes"] == 16);
  CHECK(rows[1]["shard"]["sites"] == 64);
  CHECK(rows[0]["shared"]["sites"] == 0);
  CHECK(rows[1]["shared"]["sites"] == 64);
  CHECK(result.table["shard_bytes"] == 96);
  CHECK(result.table["shared_bytes"] == 64 + 48);
  // The second access's row of the second tool.
  CHECK(has(result.text, "add.s64 \t%pasta_row, %pasta_at, 80;"));
  CHECK(has(result.text, "add.s64 \t%pasta_row_shared, %pasta_shared, 88;"));
}

TEST_CASE("Requests in order are counted where each tool promises a period") {
  std::string const alike = hook_text("ret;\n", "", abi_words(~std::uint64_t{0}, 32));
  std::string const source = module_of("ld.global.u32 %r1, [%rd1];\nld.global.v2.u64 {%rd1, %rd2}, [%rd3];\nret;");
  made const result = instrument(source, one_hook(alike));
  auto const& sites = result.table["functions"][0]["sites"];
  CHECK(sites[0]["accesses"][0]["in_order"] == 32);
  CHECK(sites[1]["accesses"][0]["in_order"] == 32 + 8 * 8);
  CHECK(result.table["shard_bytes"] == 32 + 8 * 8 + 2 * 8);

  std::vector<ptx::hook> hooks = one_hook(alike);
  hooks.emplace_back("other", adds);
  CHECK_FALSE(instrument(source, hooks).table["functions"][0]["sites"][0]["accesses"][0].contains("in_order"));
  CHECK_FALSE(instrument(source, one_hook(hook_text("ret;\n", "", abi_words(~std::uint64_t{0}, 48))))
                  .table["functions"][0]["sites"][0]["accesses"][0]
                  .contains("in_order"));
}

TEST_CASE("Requests of accesses that follow each other are tested together") {
  std::string const alike = hook_text("ret;\n", "", abi_words(~std::uint64_t{0}, 32));
  auto const tests = [&](std::string_view body) {
    std::string const text = instrument(module_of(body), one_hook(alike)).text;
    // What is tested together is counted by one addition, and there is one more for each access alone.
    return std::pair(occurrences(text, "red.global"), occurrences(text, "shfl.sync"));
  };
  using found = std::pair<std::size_t, std::size_t>;
  std::string_view const two = "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd2];\nret;";
  CHECK(tests(two) == found(3, 8));
  // One register: one test.
  CHECK(tests("ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1+-4];\nret;") == found(3, 6));
  // Guards are part of the test.
  CHECK(tests("ld.global.u32 %r1, [%rd1];\n@%p1 ld.global.u32 %r2, [%rd2];\nret;") == found(3, 8));
  CHECK(tests("@!%p1 ld.global.u32 %r1, [%rd1];\n@%p2 ld.global.u32 %r2, [%rd2];\nret;") == found(3, 8));
  // Alone: another size, a barrier or a label in between, an address or a guard that changes.
  CHECK(tests("ld.global.u32 %r1, [%rd1];\nld.global.u64 %rd3, [%rd2];\nret;") == found(2, 4));
  CHECK(tests("@%p1 ld.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\nld.global.u32 %r2, [%rd2];\nret;") ==
        found(2, 4));
  CHECK(tests("ld.global.u32 %r1, [%rd1];\nbar.sync 0;\nld.global.u32 %r2, [%rd2];\nret;") == found(2, 4));
  CHECK(tests("ld.global.u32 %r1, [%rd1];\nL: ld.global.u32 %r2, [%rd2];\nret;") == found(2, 4));
  CHECK(tests("ld.global.u32 %r1, [%rd1];\nadd.s64 %rd1, %rd1, 4;\nld.global.u32 %r2, [%rd1];\nret;") == found(2, 4));
  CHECK(tests("ld.global.u64 %rd1, [%rd1];\nld.global.u64 %rd2, [%rd1];\nret;") == found(2, 4));
  // An address is read and not written.
  CHECK(tests("ld.global.u32 %r1, [%rd1];\nst.shared.u32 [%rd1], %r1;\nret;") == found(3, 6));
}

TEST_CASE(
    "Where there are many accesses the hook is a function, which tests for more than 32 whether they are in order") {
  std::string const alike = hook_text("ret;\n", "", abi_words(~std::uint64_t{0}, 32));
  auto const accesses = [](std::size_t count) {  // none of them is tested together with another
    std::string body;
    for (std::size_t i = 0; i < count; ++i) body += fmt::format("L{0}: ld.global.u64 %rd1, [%rd1+{1}];\n", i, 8 * i);
    return module_of(body + "ret;");
  };
  constexpr std::string_view call = "call \t(pasta_result), pasta_hook_watcher_";
  auto const calls = [&](std::string const& text) { return occurrences(text, call); };
  auto const tests = [](std::string const& text) { return occurrences(text, "vote.sync.all.pred"); };

  std::string text = instrument(accesses(8), one_hook(alike)).text;
  CHECK(calls(text) == 0);
  CHECK(tests(text) == 8);
  text = instrument(accesses(9), one_hook(alike)).text;
  CHECK(calls(text) == 9);
  CHECK(tests(text) == 9 + 1);  // and in the function, where it is asked to
  CHECK(occurrences(text, "st.param.b32 \t[pasta_q6], 0x0;") == 9);
  CHECK(occurrences(text, "bar.warp.sync") == 1);
  text = instrument(accesses(32), one_hook(alike)).text;
  CHECK(tests(text) == 32 + 1);
  made const many = instrument(accesses(33), one_hook(alike));
  CHECK(calls(many.text) == 33);
  CHECK(tests(many.text) == 1);
  // Counts of each access, the whole warp's element by element, lie side by side: four of 8 bytes in a sector.
  CHECK(has(many.text,
            "st.param.b32 \t[pasta_q4], 32;\n\tst.param.b32 \t[pasta_q5], 0x0;\n"
            "\tst.param.b32 \t[pasta_q6], 0x10000080;"));
  auto const& sites = many.table["functions"][0]["sites"];
  CHECK(sites[32]["accesses"][0]["in_order"].get<int>() - sites[0]["accesses"][0]["in_order"].get<int>() == 32 * 4 * 8);

  std::vector<ptx::hook> hooks = one_hook(alike);
  hooks.emplace_back("other", alike);
  text = instrument(accesses(33), hooks).text;
  CHECK(calls(text) == 33);
  CHECK(occurrences(text, "call \t(pasta_result), pasta_hook_other_") == 33);
  CHECK(tests(text) == 33 + 2);  // else each of the tools would count the request

  // Together with others an access is tested once for all; one by one it is the function that tests.
  text = instrument(module_of("ld.global.u64 %rd1, [%rd2];\nld.global.u64 %rd1, [%rd3];\n" +
                              std::string("st.global.u64 [%rd2], %rd1;\n") + "bar.sync 0;\n" +
                              "ld.global.u64 %rd1, [%rd2];\nld.global.u64 %rd1, [%rd3];\nld.global.u64 %rd1, [%rd4];\n"
                              "ld.global.u64 %rd1, [%rd5];\nst.global.u64 [%rd3], %rd1;\nst.global.u64 [%rd4], %rd1;\n"
                              "ret;"),
                    one_hook(alike))
             .text;
  CHECK(calls(text) == 9);
  CHECK(tests(text) == 2 + 1);
}

TEST_CASE("A module for which no context would have the memory is refused") {
  std::string body;
  for (std::size_t i = 0; i < 420'000; ++i) body += "ld.u8 %r1, [%rd1];\n";  // rows of 40 bytes
  try {
    instrument(module_of(body + "ret;"), one_hook(adds));
    FAIL("nothing was thrown");
  } catch (ptx::cannot_instrument const& error) {
    CHECK(error.what() == std::string("what tools would keep for it takes 16.0 MiB, and a context has 16 for that"));
  }
}

TEST_CASE("Before sm_90 fewer bodies are put in place") {
  std::string const alike = hook_text("ret;\n");
  auto const calls = [&](std::size_t count, char const* target) {
    std::string body;
    for (std::size_t i = 0; i < count; ++i) body += fmt::format("ld.global.u64 %rd1, [%rd1+{}];\n", 8 * i);
    std::string const text = instrument(module_of(body + "ret;", target), one_hook(alike)).text;
    return occurrences(text, "call \t(pasta_result), pasta_hook_watcher_");
  };
  CHECK(calls(4, "sm_80") == 0);
  CHECK(calls(5, "sm_80") == 5);
  CHECK(calls(8, "sm_90") == 0);
  CHECK(calls(9, "sm_90") == 9);
}

TEST_CASE("In a loop the latest requests of a tool that allows it are kept in registers") {
  std::string const keeps = hook_text("ld.param.u32 %r1, [p9];\nmov.b64 %rd1, 0;\nst.param.b64 [r+0], %rd1;\nret;\n",
                                      "", abi_words(~std::uint64_t{0}, 32, 1));
  std::string const loop =
      "$L1:\nld.global.u32 %r1, [%rd1];\ncvt.u64.u32 %rd1, %r1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra $L1;\n@%p2 exit;\n"
      "ld.global.u32 %r2, [%rd2];\nret;";
  made const result = instrument(module_of(loop), one_hook(keeps));
  auto const& sites = result.table["functions"][0]["sites"];
  CHECK(sites[0]["accesses"][0].contains("in_order"));
  CHECK(sites[1]["accesses"][0].contains("in_order"));
  CHECK(has(result.text, "setp.eq.s64 \t%pasta_adds, %pasta_address, %pasta_next0;"));
  CHECK(has(result.text, "mov.b32 \t%pasta_h_r1, %pasta_keeps;"));
  CHECK(has(result.text, "mov.b64 \t%pasta_kept, %pasta_h_rd1;"));
  // Where a request is unlike the one before, and where the thread may leave: executions and one count.
  CHECK(occurrences(result.text, "mul.wide.u32 \t%pasta_word, %pasta_times0, 32;") == 3);
  CHECK(occurrences(result.text, "bfe.u32 \t%pasta_low, %pasta_adds0, 0, 8;") == 3);
  // Counts of requests in order are set back where they are added, then those of others, and at the begin.
  CHECK(occurrences(result.text, "mov.b32 \t%pasta_times0, 0;") == 7);
  CHECK(occurrences(result.text, "mov.b32 \t%pasta_adds0, 0xffffffff;") == 1);

  std::vector<ptx::hook> hooks = one_hook(keeps);
  hooks.emplace_back("other", hook_text("ret;\n", "", abi_words(~std::uint64_t{0}, 32)));
  CHECK_FALSE(has(instrument(module_of(loop), hooks).text, "%pasta_next0"));
  CHECK_FALSE(
      has(instrument(module_of("setmaxnreg.inc.sync.aligned.u32 40;\n" + loop), one_hook(keeps)).text, "%pasta_next0"));
}

TEST_CASE("In a loop requests of an access that goes on by steps are counted in runs") {
  std::string const keeps = hook_text("ld.param.u32 %r1, [p9];\nmov.b64 %rd1, 0;\nst.param.b64 [r+0], %rd1;\nret;\n",
                                      "", abi_words(~std::uint64_t{0}, 32, 1));
  auto const loop = [](std::string_view step, std::string_view guard = "") {
    return module_of(
        fmt::format("mov.u64 %rd2, 64;\n$L1:\n{}ld.global.u32 %r1, [%rd1];\nadd.s64 %rd1, %rd1, {};\n"
                    "setp.ne.s32 %p1, %r1, 0;\n@%p1 bra $L1;\n@%p2 exit;\nret;",
                    guard, step));
  };
  made const known = instrument(loop("64"), one_hook(keeps));
  CHECK(known.table["functions"][0]["sites"][0]["accesses"][0].contains("in_order"));
  CHECK(has(known.text, "add.u32 \t%pasta_run0, %pasta_run0, 1;\n$pasta_past"));
  CHECK(has(known.text, "selp.b32 \t%pasta_state, 0x40000000, 0xc0000000, %pasta_whole;"));
  CHECK_FALSE(has(known.text, "%pasta_next"));
  // Where threads come to the loop the run breaks; where a request is unlike, and where a thread may leave, counts are
  // added.
  CHECK(has(known.text, "or.b32 \t%pasta_run0, %pasta_run0, 0xc0000000;\n\t$L1:"));
  CHECK(occurrences(known.text, "mul.wide.u32 \t%pasta_word, %pasta_times, 32;") == 3);
  // A step that is the same in all turns, but not known, is seen once.
  made const unknown = instrument(loop("%rd2"), one_hook(keeps));
  CHECK(has(unknown.text, "add.u32 \t%pasta_run0, %pasta_run0, 1;"));
  CHECK(has(unknown.text, "selp.b32 \t%pasta_state, 0x40000000, 0x80000000, %pasta_adds;"));
  // A turn in which the guard does not hold for all lanes is none of the run, nor is one with a smaller copy.
  std::string const guarded = instrument(loop("64", "@%p3 "), one_hook(keeps)).text;
  std::string_view const counts = "\t@%pasta_adds activemask.b32 \t%pasta_lanes;\n";
  CHECK(has(guarded, fmt::format("and.pred \t%pasta_adds, %pasta_adds, %p3;\n{}", counts)));
  CHECK(has(guarded, "@!%pasta_adds or.b32 \t%pasta_run0, %pasta_run0, 0xc0000000;"));
  auto const turn = [&](std::string_view text) {
    return instrument(module_of(fmt::format("$L1:\n{}setp.ne.s32 %p1, %r1, 0;\n@%p1 bra $L1;\nret;", text)),
                      one_hook(keeps))
        .text;
  };
  CHECK(has(turn("cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;\nadd.s64 %rd1, %rd1, 64;\n"),
            fmt::format("setp.ge.and.u32 \t%pasta_adds, %r2, 16, %pasta_adds;\n{}", counts)));
  // What has 32 bits goes on by its step as long as it stays within them.
  CHECK(has(turn("mul.wide.u32 %rd1, %r2, 4;\nld.global.u32 %r1, [%rd1];\nadd.s32 %r2, %r2, 8;\n"),
            fmt::format("setp.ge.and.u32 \t%pasta_adds, %r2, 8, %pasta_adds;\n{}", counts)));
  CHECK(has(turn("mul.wide.s32 %rd1, %r2, 4;\nld.global.u32 %r1, [%rd1];\nadd.s32 %r2, %r2, -8;\n"),
            fmt::format("setp.le.and.s32 \t%pasta_adds, %r2, 2147483639, %pasta_adds;\n{}", counts)));
  // A step that is no multiple of the period.
  CHECK(has(instrument(loop("16"), one_hook(keeps)).text, "%pasta_next0"));
}

TEST_CASE("What is seldom executed stands at the function's end, but for a scope with names of its own") {
  std::string const alike = hook_text("mov.u32 %r1, 77;\nret;\n", "", abi_words(~std::uint64_t{0}, 32));
  auto const order = [&](std::string_view body) {
    std::string const text = instrument(module_of(body), one_hook(alike)).text;
    return text.find("%pasta_h_r1, 77") < text.find("cos.approx");
  };
  CHECK_FALSE(order("ld.global.u32 %r1, [%rd1];\ncos.approx.f32 %r1, %r1;\nret;"));
  CHECK(order("{ .reg .b64 t; ld.global.u32 %r1, [t]; }\ncos.approx.f32 %r1, %r1;\nret;"));
}

TEST_CASE("A module for an older GPU than the hook's is refused") {
  try {
    instrument(module_of("ld.global.u32 %r1, [%rd1];\nret;", "sm_75"), one_hook(adds));
    FAIL("nothing was thrown");
  } catch (ptx::cannot_instrument const& error) {
    CHECK(error.what() == std::string("its target sm_75 is older than watcher's hook, sm_80"));
  }
}

TEST_CASE("The module's version is the latest that it or a hook needs") {
  std::string hook = adds;
  hook.replace(hook.find("7.0"), 3, "8.6");
  CHECK(has(instrument(module_of("ld.global.u32 %r1, [%rd1];\nret;"), one_hook(hook)).text, ".version 8.6"));
  CHECK(has(instrument(module_of("ld.global.u32 %r1, [%rd1];\nret;"), one_hook(adds)).text, ".version 8.0"));
}

TEST_CASE("A whole kernel with a hook is as the golden file has it") {
  // To take over what changed: PASTA_UPDATE_GOLDEN=1 test_ptx "A whole kernel*", and look at the difference.
  std::string const path = PASTA_TEST_SOURCE_DIR "/tests/golden/spliced_hook.ptx";
  ptx::instrumented const result = ptx::instrument(
      ptx::read(
          module_of("ld.param.u64 %rd1, [p];\n@%p1 ld.global.f32 %r2, [%rd1+4];\nst.shared.u8 [%r3], %r2;\nret;")),
      one_hook(hook_text("ld.param.u64 %rd1, [p0];\nld.param.u64 %rd2, [p5];\nsetp.eq.u64 %p1, %rd1, 0;\n"
                         "@%p1 bra $L1;\nred.global.add.u64 [%rd2], 1;\n$L1:\nret;\n",
                         "", abi_words(~std::uint64_t{0}, 32))));
  std::string text = result.text;
  std::size_t const begin = text.find("\n.weak"), end = text.find(";\n", text.find(".align 16")) + 2;
  text.replace(begin, end - begin, "");
  for (std::size_t at = text.find(result.table.id); at != std::string::npos; at = text.find(result.table.id)) {
    text.replace(at, result.table.id.size(), "<id>");
  }
  if (char const* update = std::getenv("PASTA_UPDATE_GOLDEN"); update != nullptr && std::string_view(update) == "1") {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::stringstream golden;
  golden << std::ifstream(path, std::ios::binary).rdbuf();
  CHECK(text == golden.str());
}
