// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <catch.hpp>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <pasta/instrument/ptx/instrument.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace ptx = pasta::ptx;

std::string module_of(std::string const& body, std::string_view target = "sm_90", std::string_view version = "8.0") {
  return fmt::format(".version {}\n.target {}\n.address_size 64\n\n.extern .func other();\n.entry k()\n{{\n{}\n}}\n",
                     version, target, body);
}

/// The text with counters. The result's views of the source are not handed on.
struct counted {
  std::string text, json, id;
  std::size_t sites = 0, counters = 0;
};
counted count(std::string const& source, std::vector<std::string> const& tools = {"access_count"}) {
  ptx::instrumented const result = ptx::count_accesses(ptx::read(source), tools);
  return {result.text, result.json, result.table.id, result.sites, result.table.counters};
}

std::string error_of(std::string const& source) {
  try {
    count(source);
  } catch (ptx::cannot_instrument const& error) {
    return error.what();
  }
  return "none";
}

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}
bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// `count0 = 0` and the like say nothing of where: the statements of the text that are PASTA's, between the source's.
std::string shape_of(std::string const& text) {
  std::string shape;
  ptx::module const m = ptx::read(text);
  for (ptx::statement const& each : m.statements) {
    if (each.function == ptx::no_function || each.kind == ptx::statement_kind::function_head) continue;
    std::string_view part;
    if (!has(each.text, "pasta_")) {
      part = each.text;
    } else if (has(each.text, "add.s64")) {
      part = "+1";
    } else if (has(each.text, "or.b32 \t%pasta_once") && !has(each.text, "xor")) {
      part = "bit";
    } else if (has(each.text, "red.global") && has(each.text, "[%pasta_at") && has(each.text, ", 1;")) {
      part = "red";
    } else if (has(each.text, "$pasta_folded") && each.kind == ptx::statement_kind::label) {
      part = "fold";
    } else if (has(each.text, "$pasta_stay")) {
      part = each.kind == ptx::statement_kind::label ? "stay:" : "skip";
    }
    if (!part.empty()) shape += std::string(shape.empty() ? "" : " ") + std::string(part);
  }
  return shape;
}
std::string shape_of_body(std::string const& body) { return shape_of(count(module_of(body)).text); }

TEST_CASE("A module without accesses comes back byte for byte") {
  for (std::string const& source :
       {module_of("ret;"), module_of("add.s32 %r1, %r1, 1; @%p1 exit; bar.sync 0; ret;", "sm_70", "6.0"),
        std::string("// a comment\n.version 6.0 .target sm_90\r\n.address_size 64 /* end */")}) {
    counted const result = count(source);
    CHECK(result.text == source);
    CHECK(result.sites == 0);
    CHECK_FALSE(ptx::is_instrumented(ptx::read(result.text)));
  }
}

TEST_CASE("What is not touched stays byte for byte, in its order") {
  std::string const source = module_of(
      "\t.reg .pred %p<3>; // comment {\n\t.loc 1 2 3\n$L1:\t@%p1  ld.global.u32\t%r1 , [%rd1] ;\r\n\t@!%p1 st.u32 "
      "[%rd1], %r1;\n"
      "{ @%p1 bra $L1; /* ; */ @%p2 exit; }\n\tcall other;\n@%p1 ret;\nld.u8 %r1, [%rd1];");
  counted const result = count(source);
  CHECK(result.sites == 3);
  // Each byte of the source is there in turn; what is left over is PASTA's.
  std::size_t at = 0;
  ptx::module const before = ptx::read(source), after = ptx::read(result.text);
  for (ptx::statement const& each : before.statements) {
    while (at < after.statements.size() && after.statements[at].text != each.text) {
      CHECK(has(after.statements[at++].text, "pasta_"));
    }
    REQUIRE(at < after.statements.size());
    CHECK(after.statements[at++].kind == each.kind);
  }
  CHECK(at == after.statements.size());
  for (std::string_view const part :
       {"%p<3>; // comment {\n\t.loc 1 2 3\n$L1:\t", "@%p1  ld.global.u32\t%r1 , [%rd1] ;\r\n",
        "{ @%p1 bra $L1; /* ; */ ", "\n\n.extern .func other();\n.entry k()\n{"}) {
    CHECK(has(result.text, part));
  }
}

TEST_CASE("What a thread does once is counted in memory, loops in registers") {
  CHECK(shape_of_body("ld.u32 %r1, [%rd1]; ret;") == "{ ld.u32 %r1, [%rd1]; red ret; }");
  CHECK(shape_of_body("L: ld.u32 %r1, [%rd1]; @p bra L; ret;") == "{ L: +1 ld.u32 %r1, [%rd1]; @p bra L; fold ret; }");
  // From four on what a thread does once is bits of a register.
  std::string const branch = "@!%p1 bra M; ld.u32 %r1, [%rd1]; M: ",
                    counted = "@!%p1 bra M; bit ld.u32 %r1, [%rd1]; M: ";
  std::string const guarded = "@%p2 st.u32 [%rd1], 1; @!%p2 st.u32 [%rd1], 1; @%p3 st.u32 [%rd1], 2; ";
  CHECK(shape_of_body(branch + guarded + "ret;") ==
        "{ " + counted +
            "bit @%p2 st.u32 [%rd1], 1; bit @!%p2 st.u32 [%rd1], 1; bit @%p3 st.u32 [%rd1], 2; fold ret; }");
  CHECK(shape_of_body("ld.u32 %r1, [%rd1]; L: @q st.u32 [%rd1], 1; @p bra L; ret;") ==
        "{ ld.u32 %r1, [%rd1]; red L: +1 @q st.u32 [%rd1], 1; @p bra L; fold ret; }");
}

TEST_CASE("What is counted in memory is added behind the block's loads, where all its lanes come to") {
  std::string const load = "ld.u32 %r1, [%rd1]; ", pure = "add.u32 %r1, %r1, 1; ", exit = "@%p1 exit; ret;",
                    product = "wgmma.fence.sync.aligned; ret;";
  CHECK(shape_of_body(load + pure + load + "ret;") == "{ " + load + pure + load + "red ret; }");
  CHECK(shape_of_body(load + pure + exit) == "{ " + load + pure + "red " + exit + " }");
  CHECK(shape_of_body(load + pure + product) == "{ " + load + pure + "red " + product + " }");
  CHECK(shape_of_body(load + "st.param.b32 [x], %r1; ret;") == "{ " + load + "red st.param.b32 [x], %r1; ret; }");
  CHECK(shape_of_body(load + "{ " + pure + "} ret;") == "{ " + load + "red { " + pure + "} ret; }");
  // What decides it may be another value there.
  CHECK(shape_of_body("@%p1 " + load + pure + "ret;") == "{ red @%p1 " + load + pure + "ret; }");
}

TEST_CASE("Without loops the address of the counters is loaded first, and not put off") {
  std::string const guarded = "@%p2 st.u32 [%rd1], 1; @!%p2 st.u32 [%rd1], 1; @%p3 st.u32 [%rd1], 2; ";
  std::string const early = count(module_of("@%p1 ld.u32 %r1, [%rd1]; " + guarded + "ret;")).text;
  std::size_t const at = early.find("ld.global.v2.u64");
  CHECK(at < early.find("%p1"));
  CHECK(occurrences(early, "%smid") == 1);
  std::string const late = count(module_of("L: @%p1 ld.u32 %r1, [%rd1]; @%p4 bra L; " + guarded + "ret;")).text;
  CHECK(late.find("ld.global.v2.u64") == std::string::npos);
  CHECK(late.find("ld.global.nc.v2.u64") > late.find("bra L"));
}

TEST_CASE("The address of the counters is found once where many places need it") {
  auto const addresses = [](std::string const& body) { return occurrences(count(module_of(body)).text, "%smid"); };
  std::string const once = "@%p1 ld.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 0;\n";
  CHECK(addresses(once) == 1);
  CHECK(addresses(once + once + once) == 3);
  CHECK(addresses(once + once + once + once) == 1);  // for the fold
  CHECK(addresses("L: " + once + once + once + "@%p2 bra L; @%p2 ret; @%p3 ret; @%p4 ret; ret;") == 4);
  CHECK(addresses("L: " + once + once + once + "@%p2 bra L; @%p2 ret; @%p3 ret; @%p4 ret; @%p5 ret; ret;") == 1);
}

/// Loops of one site each; those of `nested` hold each other.
std::string loops(int count, int nested) {
  std::string text, end;
  for (int i = 0; i < count; ++i) text += fmt::format("A{0}: ld.u32 %r1, [%rd1]; @p bra A{0};\n", i);
  for (int i = 0; i < nested; ++i) {
    text += fmt::format("B{0}: @%p{0} ld.u32 %r1, [%rd1];\n", i);
    end = fmt::format("@p bra B{};\n", i) + end;
  }
  return text + end + "ret;";
}

TEST_CASE("At most 16 counters of a function are in registers, those of the innermost loops first") {
  auto const registers = [](std::string const& body) {
    return occurrences(count(module_of(body)).text, ".reg .b64 \t%pasta_count");
  };
  CHECK(registers(loops(3, 0)) == 3);
  CHECK(registers(loops(16, 0)) == 16);
  CHECK(registers(loops(40, 0)) == 16);
  std::string const text = count(module_of(loops(40, 3))).text;
  // The two inner ones of the three that hold each other have depths of 2 and 3, all others of 1: those in order.
  CHECK(has(text, "\t@%p2 add.s64 \t%pasta_count"));
  CHECK(has(text, "\t@%p1 add.s64 \t%pasta_count"));
  CHECK_FALSE(has(text, "\t@%p0 add.s64 \t%pasta_count"));
  CHECK(occurrences(text, ".reg .b64 \t%pasta_count") == 16);
}

TEST_CASE("A kernel that gives its registers away has two for counters") {
  auto const registers = [](std::string const& body) {
    return occurrences(count(module_of(body)).text, ".reg .b64 \t%pasta_count");
  };
  CHECK(registers("setmaxnreg.dec.sync.aligned.u32 24;\n" + loops(10, 0)) == 2);
  CHECK(registers("@%p1 setmaxnreg.inc.sync.aligned.u32 240;\n" + loops(10, 0)) == 2);
  CHECK(registers("// setmaxnreg\n" + loops(10, 0)) == 10);
  // So has one of which the caller says that it has none to spare; what it comes to once takes a bit.
  std::string const few[] = {"other", "k"};
  std::vector<ptx::hook> const hooks{ptx::hook::counting("access_count")};
  std::string const guarded =
      "@%p1 st.u32 [%rd1], 1; @%p2 st.u32 [%rd1], 1; @%p3 st.u32 [%rd1], 1; @%p4 st.u32 [%rd1], 1;\n";
  for (int const count : {1, 2, 10}) {
    std::string const all = module_of(guarded + loops(count, 0));
    ptx::instrumented const much = ptx::instrument(ptx::read(all), hooks);
    ptx::instrumented const little = ptx::instrument(ptx::read(all), hooks, {nullptr, few});
    CHECK(occurrences(much.text, ".reg .b64 \t%pasta_count") == static_cast<std::size_t>(count));
    CHECK(occurrences(little.text, ".reg .b64 \t%pasta_count") == static_cast<std::size_t>(std::min(count, 2)));
    CHECK(occurrences(little.text, ".reg .b32 \t%pasta_once") == (count == 1 ? 1 : 0));
    CHECK(little.table.id != much.table.id);  // their counters may stand in another order
  }
}

TEST_CASE("Registers are folded at each way out") {
  std::string const loop = "L: ld.u32 %r1, [%rd1]; @p bra L; ";
  std::string const counted_loop = "{ L: +1 ld.u32 %r1, [%rd1]; @p bra L; ";
  CHECK(shape_of_body(loop + "exit;") == counted_loop + "fold exit; }");
  CHECK(shape_of_body(loop + "@q exit; ret;") == counted_loop + "skip fold @q exit; stay: fold ret; }");
  CHECK(shape_of_body(loop + "@!q ret; ret;") == counted_loop + "skip fold @!q ret; stay: fold ret; }");
  CHECK(shape_of_body(loop) == counted_loop + "fold }");
  CHECK(shape_of_body(loop + "{ ret; }") == counted_loop + "{ fold ret; } }");
  CHECK(shape_of_body(loop + "ret; M:") == counted_loop + "fold ret; M: fold }");
  CHECK(shape_of_body(loop + "@q ret;") == counted_loop + "skip fold @q ret; stay: fold }");
  CHECK(shape_of_body(loop + "bra L;") == counted_loop + "bra L; }");
  CHECK(shape_of_body(loop + "trap;") == counted_loop + "trap; }");
  CHECK(shape_of_body(loop + "@q trap;") == counted_loop + "@q trap; fold }");
  CHECK(shape_of_body(loop + "call other; ret;") == counted_loop + "fold call other; fold ret; }");
}

TEST_CASE("A guarded way out folds for the lanes that take it") {
  std::string const text = count(module_of("L: ld.u32 %r1, [%rd1]; @p bra L; @q exit; @!%p7 ret; ret;")).text;
  CHECK(has(text, "\t@!q bra \t$pasta_stay0;\n"));
  CHECK(has(text, "\t@%p7 bra \t$pasta_stay2;\n"));
  CHECK(has(text, "@q exit;\n$pasta_stay0:"));
}

TEST_CASE("A fold stands before what passes a call's arguments") {
  std::string const loop = "L: ld.u32 %r1, [%rd1]; @p bra L; ";
  std::string const counted_loop = "{ L: +1 ld.u32 %r1, [%rd1]; @p bra L; ";
  CHECK(shape_of_body(loop + "{ .param .b32 x; st.param.b32 [x], 1; .param .b32 y; st.param.b32 [y], 2;"
                             "call other, (x, y); } trap;") ==
        counted_loop +
            "{ .param .b32 x; fold st.param.b32 [x], 1; .param .b32 y; st.param.b32 [y], 2; "
            "call other, (x, y); } trap; }");
  CHECK(shape_of_body(loop + "st.param.b32 [x], 1; add.s32 a, b, c; @q call other, (x); trap;") ==
        counted_loop + "skip fold stay: st.param.b32 [x], 1; add.s32 a, b, c; @q call other, (x); trap; }");
  // Not before what writes the call's guard, or what counts.
  CHECK(shape_of_body(loop + "st.param.b32 [x], 1; setp.ne.s32 q, 1, 0; @q call other, (x); trap;") ==
        counted_loop + "st.param.b32 [x], 1; setp.ne.s32 q, 1, 0; skip fold stay: @q call other, (x); trap; }");
  CHECK(shape_of_body("L: st.param.b32 [x], 1; ld.u32 %r1, [%rd1]; call other, (x); bra L;") ==
        "{ L: st.param.b32 [x], 1; +1 ld.u32 %r1, [%rd1]; fold call other, (x); bra L; }");
}

TEST_CASE("A call that comes back needs no fold") {
  std::string const source =
      ".version 8.0\n.target sm_90\n.address_size 64\n.func f() { ret; }\n"
      ".entry k() { L: ld.u32 %r1, [%rd1]; call f; @p bra L; ret; }\n";
  CHECK(shape_of(count(source).text) == "{ ret; } { L: +1 ld.u32 %r1, [%rd1]; call f; @p bra L; fold ret; }");
}

TEST_CASE("Lanes add up by redux from sm_80 on, before by shuffles") {
  std::string const body = "L: ld.u32 %r1, [%rd1]; @p bra L; ret;";
  for (std::string_view const target : {"sm_70", "sm_72", "sm_75"}) {
    std::string const text = count(module_of(body, target, "6.3")).text;
    CHECK(has(text, "shfl.sync.bfly"));
    CHECK_FALSE(has(text, "redux"));
  }
  for (std::string_view const target : {"sm_80", "sm_86", "sm_90a", "sm_100f", "sm_120"}) {
    std::string const text = count(module_of(body, target)).text;
    CHECK(has(text, "redux.sync.add.u32"));
    CHECK_FALSE(has(text, "shfl"));
  }
}

TEST_CASE("A version that is too old is raised, others stay") {
  std::string const body = "ld.u32 %r1, [%rd1]; ret;";
  for (std::string_view const version : {"6.0", "6.1"}) {
    CHECK(count(module_of(body, "sm_70", version)).text.starts_with(".version 6.2\n.target sm_70\n"));
  }
  for (std::string_view const version : {"6.2", "6.5", "7.0", "8.8", "10.1"}) {
    CHECK(count(module_of(body, "sm_70", version)).text.starts_with(fmt::format(".version {}\n", version)));
  }
}

TEST_CASE("What cannot be instrumented is refused with the reason") {
  std::string const body = "ld.u32 %r1, [%rd1]; ret;";
  CHECK(error_of(module_of(body)) == "none");
  CHECK(error_of(module_of(body, "sm_61")) == "its target sm_61 is not one from sm_70 on");
  CHECK(error_of(module_of(body, "compute_90")) == "its target compute_90 is not one from sm_70 on");
  CHECK(error_of(module_of(body, std::string(1000, 'x'))).size() < 200);
  CHECK(error_of(".version 8.0\n.target sm_90\n.address_size 32\n") == "its addresses do not have 64 bits");
  CHECK(error_of(".version 8.0\n.target sm_90\n") == "its addresses do not have 64 bits");
  CHECK(error_of(module_of(".reg .b32 %pasta_x;\n" + body)) == "it uses names that begin with pasta_");
  CHECK(error_of(module_of("$pasta_x: " + body)) == "it uses names that begin with pasta_");
  CHECK(error_of(module_of(".reg .b32 %pasta<3>;\n" + body)) == "none");
}

TEST_CASE("What is instrumented is not instrumented again") {
  std::string const text = count(module_of("ld.u32 %r1, [%rd1]; ret;")).text;
  CHECK(ptx::is_instrumented(ptx::read(text)));
  CHECK(error_of(text) == "it is instrumented already");
  CHECK_FALSE(ptx::is_instrumented(ptx::read(module_of("ret; // pasta_state_"))));
}

TEST_CASE("The state stands behind the head, whatever follows") {
  for (std::string const& head : std::initializer_list<std::string>{
           ".version 8.0\n.target sm_90, debug\n.address_size 64", ".version 8.0 .target sm_90 .address_size 64",
           "# 1 \"a.cu\"\n.version 8.0\n// x\n.target sm_90\n.address_size 64"}) {
    std::string const text = count(head + "\n.file 1 \"a\"\n.entry k() { ld.u32 %r1, [%rd1]; }").text;
    CHECK(text.starts_with(head + "\n.weak .global .align 8 .u64 pasta_sites_"));
    CHECK(ptx::is_instrumented(ptx::read(text)));
  }
  // Odd, but no reason to declare the state within a function.
  std::string const odd = count(module_of("ld.u32 %r1, [%rd1]; .address_size 64")).text;
  CHECK(ptx::is_instrumented(ptx::read(odd)));
}

TEST_CASE("The id tells the text and the tools") {
  std::string const source = module_of("ld.u32 %r1, [%rd1]; ret;");
  std::string const id = count(source).id;
  CHECK(id.size() == 32);
  CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(count(source).id == id);
  std::vector<std::string> ids = {id,
                                  count(source + " ").id,
                                  count(module_of("ld.u32 %r2, [%rd1]; ret;")).id,
                                  count(source, {}).id,
                                  count(source, {"coalescing"}).id,
                                  count(source, {"access_count", "coalescing"}).id,
                                  count(source, {"coalescing", "access_count"}).id,
                                  count(source, {"access_countcoalescing"}).id};
  std::sort(ids.begin(), ids.end());
  CHECK(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
}

TEST_CASE("The same input gives the same output") {
  std::string const source = module_of(loops(30, 5));
  counted const first = count(source), second = count(std::string(source.begin(), source.end()));
  CHECK(first.text == second.text);
  CHECK(first.json == second.json);
}

TEST_CASE("A function that names a missing label is left as it is, and the others are not") {
  std::string const source =
      ".version 8.0\n.target sm_90\n.address_size 64\n.func f() { ld.u32 %r1, [%rd1]; bra L; }\n"
      ".entry k() { ld.u32 %r1, [%rd1]; ret; }\n";
  counted const result = count(source);
  CHECK(result.sites == 1);
  CHECK(result.counters == 1);
  CHECK(shape_of(result.text) == "{ ld.u32 %r1, [%rd1]; bra L; } { ld.u32 %r1, [%rd1]; red ret; }");
  CHECK(has(result.json, "the label L of line 4 is missing"));
}

/// The text of a file, without what differs between versions of PASTA.
std::string without_id(std::string text, std::string const& id) {
  for (std::size_t at = text.find(id); at != std::string::npos; at = text.find(id)) {
    text.replace(at, id.size(), "<id>");
  }
  return text;
}

TEST_CASE("A whole kernel with its counters is as the golden file has it") {
  // To take over what changed: PASTA_UPDATE_GOLDEN=1 test_ptx "A whole kernel*", and look at the difference.
  std::string const path = PASTA_TEST_SOURCE_DIR "/tests/golden/counted_accesses.ptx";
  std::string const source =
      ".version 6.0\n.target sm_75\n.address_size 64\n.file 1 \"sum.cu\"\n\n"
      ".visible .entry sum(\n\t.param .u64 sum_param_0,\n\t.param .u32 sum_param_1\n)\n{\n"
      "\t.reg .pred \t%p<3>;\n\t.reg .f32 \t%f<4>;\n\t.reg .b32 \t%r<4>;\n\t.reg .b64 \t%rd<4>;\n\n"
      "\tld.param.u64 \t%rd1, [sum_param_0];\n\tld.param.u32 \t%r1, [sum_param_1];\n\t.loc\t1 4 3\n"
      "\tsetp.eq.s32 \t%p1, %r1, 0;\n\t@%p1 ret;\n\tmov.f32 \t%f1, 0f00000000;\n\n$L__BB0_2:\n\t.loc\t1 6 5\n"
      "\tld.global.f32 \t%f2, [%rd1+4];\n\tadd.f32 \t%f1, %f1, %f2;\n\tadd.s32 \t%r1, %r1, -1;\n"
      "\tsetp.ne.s32 \t%p2, %r1, 0;\n\t@%p2 st.shared.f32 \t[%r2], %f1;\n\t@%p2 bra \t$L__BB0_2;\n\n"
      "\t.loc\t1 8 3\n\tst.global.f32 \t[%rd1], %f1;\n\tret;\n\n}\n";
  counted const result = count(source);
  std::string text = without_id(result.text, result.id);
  // The table's words have the id and the version too: the golden file has its text.
  std::size_t const begin = text.find(".weak .global .align 8"), end = text.find(".weak .global .align 16");
  REQUIRE(begin < end);
  text.replace(begin, end - begin, "");
  std::string table = without_id(result.json, result.id);
  std::size_t const version = table.find("\"pasta\":\"");
  REQUIRE(version != std::string::npos);
  table.replace(version, table.find("\",", version) + 2 - version, "");
  text += "// " + table + "\n";
  std::size_t const bytes = text.find("{0, 0, ") + 7;
  text.replace(bytes, text.find(',', bytes) - bytes, "<bytes>");

  if (char const* update = std::getenv("PASTA_UPDATE_GOLDEN"); update != nullptr && std::string_view(update) == "1") {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  std::stringstream golden;
  golden << file.rdbuf();
  CHECK(text == golden.str());
}

}  // namespace
