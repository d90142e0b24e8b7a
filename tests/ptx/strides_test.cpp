// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <catch.hpp>
#include <pasta/instrument/ptx/strides.hpp>
#include <string>
#include <string_view>

namespace {

namespace ptx = pasta::ptx;

/// What is found of the first `ld.global` of a body: its step (`?`: not known), what of 32 bits goes on by steps for
/// that (`~ u %r1 + 4`), and its breaks (`>`: on a jump's way); `none`.
std::string stride_of(std::string_view text) {
  std::string const source = fmt::format(
      ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p) {{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n{}\n}}",
      text);
  ptx::module const m = ptx::read(source);
  ptx::function const& body = m.functions.at(0);
  ptx::blocks const parts(m, body);
  ptx::loops const all(parts);
  ptx::strides steps(m, body, all);
  for (std::size_t i = body.begin; i < body.end; ++i) {
    if (m.statements[i].kind != ptx::statement_kind::instruction) continue;
    ptx::instruction const what = ptx::read_instruction(m.statements[i].text);
    if (what.name != "ld" || !what.has("global")) continue;
    auto const found = steps.find(i, ptx::read_address(what.operands[1]).base);
    if (!found) return "none";
    std::string made = found->step ? fmt::format("{}", static_cast<std::int64_t>(*found->step)) : "?";
    for (ptx::narrow_step const& each : found->narrow) {
      made += fmt::format(" ~ {} {} + {}", each.is_signed ? 's' : 'u', each.value,
                          each.by.empty() ? fmt::format("{}", static_cast<std::int32_t>(each.step)) : each.by);
    }
    for (ptx::run_break const& each : found->breaks) {
      made += fmt::format("{}{}", each.where == ptx::run_break::place::jump ? " > " : " | ",
                          m.statements[each.statement].text);
    }
    return made;
  }
  return "no load";
}
/// Of a loop around a body, which ends with `@%p1 bra L;`.
std::string in_loop(std::string_view text) {
  std::string const found = stride_of(fmt::format("L:\n{}\n@%p1 bra L;\nret;", text));
  return found.ends_with(" | L:") ? found.substr(0, found.size() - 5) : found;
}

TEST_CASE("A register that a constant is added to goes on by it") {
  CHECK(in_loop("ld.global.u32 %r1, [%rd1]; add.s64 %rd1, %rd1, 64;") == "64");
  CHECK(in_loop("add.u64 %rd1, 0x20, %rd1; ld.global.u32 %r1, [%rd1+4];") == "32");
  CHECK(in_loop("ld.global.u32 %r1, [%rd1]; sub.s64 %rd1, %rd1, 4;") == "-4");
  CHECK(in_loop("ld.global.u32 %r1, [%rd1]; add.s64 %rd1, %rd1, %rd2;") == "?");
  CHECK(in_loop("ld.global.u32 %r1, [%rd1];") == "0");
  CHECK(in_loop("ld.global.u32 %r1, [symbol];") == "0");
  CHECK(in_loop("ld.global.u32 %r1, [%rd1]; add.s64 %rd3, %rd1, 8; add.s64 %rd4, 8, %rd3; mov.b64 %rd1, %rd4;") ==
        "16");
}

TEST_CASE("What is made of such registers goes on by what follows") {
  std::string const goes_on = "add.s64 %rd1, %rd1, 4;";
  CHECK(in_loop("shl.b64 %rd2, %rd1, 3; add.s64 %rd3, %rd4, %rd2; ld.global.u32 %r1, [%rd3];" + goes_on) == "32");
  CHECK(in_loop(goes_on + "mul.lo.s64 %rd2, %rd1, 24; ld.global.u32 %r1, [%rd2];") == "96");
  CHECK(in_loop(goes_on + "mul.lo.s64 %rd2, %rd5, %rd1; ld.global.u32 %r1, [%rd2];") == "?");
  CHECK(in_loop(goes_on + "mad.lo.s64 %rd2, %rd1, 8, %rd1; ld.global.u32 %r1, [%rd2];") == "36");
  CHECK(in_loop(goes_on + "neg.s64 %rd2, %rd1; sub.s64 %rd2, %rd2, 8; ld.global.u32 %r1, [%rd1];") == "4");
  CHECK(in_loop(goes_on + "neg.s64 %rd2, %rd1; sub.s64 %rd3, %rd2, %rd1; ld.global.u32 %r1, [%rd3];") == "-8");
  CHECK(in_loop(goes_on + "cvta.to.global.u64 %rd2, %rd1; ld.global.u32 %r1, [%rd2];") == "4");
  CHECK(in_loop(goes_on + "mul.wide.u32 %rd2, %r5, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r1, [%rd3];") == "4");
  CHECK(in_loop("mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; ld.global.u32 %r1, [%rd2];") == "0");
}

TEST_CASE("What is not the same in each turn is no step") {
  std::string const load = "ld.global.u32 %r1, [%rd1];";
  CHECK(in_loop(load + "@%p2 add.s64 %rd1, %rd1, 64;") == "none");
  CHECK(in_loop(load + "add.s64 %rd1, %rd1, 64; add.s64 %rd1, %rd1, 64;") == "none");
  CHECK(in_loop(load + "@%p2 bra M; add.s64 %rd1, %rd1, 64; M:") == "none");
  CHECK(in_loop(load + "add.s64 %rd1, %rd1, %rd2; add.s64 %rd2, %rd2, 32;") == "none");
  CHECK(in_loop(load + "add.s64 %rd1, %rd1, %rd1;") == "none");
  CHECK(in_loop(load + "mul.lo.s64 %rd1, %rd1, 2;") == "none");
  CHECK(in_loop(load + "mov.u64 %rd1, 0;") == "none");
  CHECK(in_loop(load + "mov.u64 %rd1, %clock64;") == "none");
  CHECK(in_loop("mov.u64 %rd1, %clock64;" + load) == "none");
  CHECK(in_loop(load + "ld.shared.u64 %rd1, [%r2];") == "none");
  CHECK(in_loop("ld.global.u64 %rd1, [%rd1];") == "none");
  CHECK(in_loop(load + "add.cc.s64 %rd1, %rd1, 64;") == "none");
  CHECK(in_loop(load + "call (%rd1), f, ();") == "none");
  CHECK(in_loop("mov.b64 %rd1, {%r2, %r3};" + load + "add.s32 %r2, %r2, 1;") == "none");
  CHECK(in_loop("ld.global.u32 %r1, [%r2]; add.s32 %r2, %r2, 64;") == "none");
  // A product of two that go on, and names of other scopes.
  CHECK(in_loop("mul.lo.s64 %rd1, %rd2, %rd2;" + load + "add.s64 %rd2, %rd2, 1;") == "none");
  CHECK(in_loop(load + "{ .reg .b64 %rd1; add.s64 %rd1, %rd1, 64; }") == "none");
  CHECK(in_loop("{ ld.global.u32 %r1, [%rd1]; }") == "none");
  CHECK(stride_of("ld.global.u32 %r1, [%rd1]; ret;") == "none");
}

TEST_CASE("A value of 32 bits goes on by its step as long as they hold it") {
  std::string const load = "ld.global.u32 %r1, [%rd1];", goes_on = "add.s32 %r2, %r2, 8;";
  CHECK(in_loop("mul.wide.u32 %rd1, %r2, 4;" + load + goes_on) == "32 ~ u %r2 + 8");
  CHECK(in_loop("mul.wide.s32 %rd1, %r2, 4;" + load + "sub.s32 %r2, %r2, 8;") == "-32 ~ s %r2 + -8");
  CHECK(in_loop("mul.wide.u32 %rd1, %r2, 4;" + load + "add.s32 %r2, %r2, -8;") == "-32 ~ u %r2 + -8");
  CHECK(in_loop("cvt.s64.s32 %rd2, %r2; shl.b64 %rd3, %rd2, 2; add.s64 %rd1, %rd4, %rd3;" + load + goes_on) ==
        "32 ~ s %r2 + 8");
  CHECK(in_loop("add.s32 %r3, %r2, %r4; mad.wide.s32 %rd1, %r3, 4, %rd5;" + load + goes_on) == "32 ~ s %r3 + 8");
  CHECK(in_loop("shl.b32 %r3, %r2, 1; mad.lo.s32 %r5, %r3, 3, %r4; cvt.u64.u32 %rd1, %r5;" + load + goes_on) ==
        "48 ~ u %r5 + 48");
  CHECK(in_loop("cvt.u32.u64 %r2, %rd2; mul.wide.u32 %rd1, %r2, 4;" + load + "add.s64 %rd2, %rd2, 8;") ==
        "32 ~ u %r2 + 8");
  // By what the loop does not write: any step.
  CHECK(in_loop("mul.wide.u32 %rd1, %r2, 4;" + load + "add.s32 %r2, %r2, %r3;") == "? ~ u %r2 + %r3");
  CHECK(in_loop("add.s32 %r4, %r2, 64; mul.wide.s32 %rd1, %r4, 4;" + load + "add.s32 %r2, %r2, %r3;") ==
        "? ~ s %r4 + %r3");
  CHECK(in_loop("mul.wide.u32 %rd1, %r2, %r4;" + load + goes_on) == "? ~ u %r2 + 8");
  // Two of them, and each once.
  CHECK(
      in_loop("add.s32 %r3, %r2, %r4; mul.wide.s32 %rd2, %r3, 4; mul.wide.s32 %rd3, %r2, 4; add.s64 %rd1, %rd2, %rd3;" +
              load + goes_on) == "64 ~ s %r3 + 8 ~ s %r2 + 8");
  CHECK(in_loop("mul.wide.s32 %rd2, %r2, 4; add.s64 %rd1, %rd2, %rd2;" + load + goes_on) == "64 ~ s %r2 + 8");
  // What is the same in all turns is nothing to be looked at.
  CHECK(in_loop("mul.wide.u32 %rd2, %r5, 4; add.s64 %rd1, %rd2, 16;" + load) == "0");
  CHECK(in_loop("shl.b32 %r3, %r2, 29; mul.wide.u32 %rd1, %r3, 4;" + load + goes_on) == "0");
}

TEST_CASE("A value of 32 bits has no step where its own is not known at the access") {
  std::string const load = "ld.global.u32 %r1, [%rd1];";
  // It went on already.
  CHECK(in_loop("mul.wide.u32 %rd1, %r2, 4; add.s32 %r2, %r2, 1;" + load) == "none");
  CHECK(in_loop("add.s32 %r2, %r2, 1; mul.wide.u32 %rd1, %r2, 4;" + load) == "4 ~ u %r2 + 1");
  CHECK(stride_of("L: mul.wide.u32 %rd1, %r2, 4; @%p2 bra M; add.s32 %r2, %r2, 1; " + load + "@%p1 bra L; M: ret;") ==
        "none");
  CHECK(in_loop("mul.wide.u32 %rd1, %r2, 4;" + load + "add.s32 %r2, %r2, %r3; add.s32 %r3, %r3, 1;") == "none");
  CHECK(in_loop("mul.lo.s32 %r4, %r2, %r3; mul.wide.u32 %rd1, %r4, 4;" + load + "add.s32 %r2, %r2, 1;") == "none");
  CHECK(in_loop("mul.wide.u32 %rd1, %r2, %r2;" + load + "add.s32 %r2, %r2, 1;") == "none");
  CHECK(in_loop("mul.wide.u32 %rd1, %r2, 4;" + load + "@%p2 add.s32 %r2, %r2, 1;") == "none");
  CHECK(in_loop("mul.wide.u16 %rd1, %r2, 4;" + load + "add.s32 %r2, %r2, 1;") == "none");
  CHECK(in_loop("cvt.u64.u16 %rd1, %r2;" + load + "add.s32 %r2, %r2, 1;") == "none");
}

TEST_CASE("An access that may come several times in a turn has no step") {
  CHECK(in_loop("M: ld.global.u32 %r1, [%rd1]; @%p2 bra M; add.s64 %rd1, %rd1, 64;") == "0 | M:");
  // A step in an inner loop is made several times.
  CHECK(in_loop("ld.global.u32 %r1, [%rd1]; M: add.s64 %rd1, %rd1, 64; @%p2 bra M;") == "none");
  // Two ways into what goes around.
  CHECK(stride_of("@%p1 bra M; L: ld.global.u32 %r1, [%rd1]; M: add.s64 %rd1, %rd1, 64; @%p2 bra L; ret;") == "none");
}

TEST_CASE("A run breaks where a thread comes to the loop, and where it goes through a turn without the access") {
  std::string const load = "ld.global.u32 %r1, [%rd1];", ends = "@%p1 bra L; ret;";
  CHECK(stride_of("L: " + load + ends) == "0 | L:");
  CHECK(stride_of("bra L; M: ret; L: " + load + "@%p1 bra L; bra M;") == "0 > bra L;");
  CHECK(stride_of("L: @%p2 bra M; " + load + "M:" + ends) == "0 | L: > @%p2 bra M;");
  CHECK(stride_of("L: @%p2 bra M; bra N; M: " + load + "N:" + ends) == "0 | L: | bra N;");
  CHECK(stride_of("L: @%p2 bra M; N: @%p1 bra L; ret; M: " + load + "bra N;") == "0 | L: | N:");
  // Another turn without the access.
  CHECK(stride_of("L: @%p2 bra L; " + load + ends) == "0 | L: > @%p2 bra L;");
  // Who leaves the loop comes to it anew.
  CHECK(stride_of("L: @%p2 bra M; " + load + "@%p1 bra L; M: ret;") == "0 | L:");
  CHECK(stride_of("K: L: @%p2 bra M; " + load + "@%p1 bra L; M: @%p3 bra K; ret;") == "0 | L:");
  // An indexed jump's ways are not told apart, nor those of a scope with names of its own.
  CHECK(stride_of("L: T: .branchtargets M, N; brx.idx %r2, T; M: " + load + "N:" + ends) == "0 | L: | brx.idx %r2, T;");
  CHECK(stride_of("L: { @%p2 bra M; } " + load + "M:" + ends) == "0 | L: | @%p2 bra M;");
}

TEST_CASE("A step before or behind the access is made once in a turn, also where lanes go other ways") {
  CHECK(stride_of("L: add.s64 %rd1, %rd1, 32; @%p2 bra M; ld.global.u32 %r1, [%rd1]; M: @%p1 bra L; ret;") ==
        "32 | L: > @%p2 bra M;");
  CHECK(stride_of("L: @%p2 bra M; ld.global.u32 %r1, [%rd1]; M: add.s64 %rd1, %rd1, 32; @%p1 bra L; ret;") ==
        "32 | L: > @%p2 bra M;");
  // One of two ways back goes past it.
  CHECK(stride_of("L: ld.global.u32 %r1, [%rd1]; @%p2 bra L; add.s64 %rd1, %rd1, 32; @%p1 bra L; ret;") == "none");
}

TEST_CASE("Blocks that no thread comes to change nothing") {
  CHECK(stride_of("bra L; M: bra L; L: ld.global.u32 %r1, [%rd1]; add.s64 %rd1, %rd1, 32; @%p1 bra L; ret;") ==
        "32 > bra L;");
}

TEST_CASE("An address of very many parts is not looked at to its end") {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += "add.s64 %a" + std::to_string(i + 1) + ", %a" + std::to_string(i) + ", %a" + std::to_string(i) + ";\n";
  CHECK(stride_of(".reg .b64 %a<99>; L: " + text + "ld.global.u32 %r1, [%a60]; @%p1 bra L; ret;") == "none");
}

}  // namespace
