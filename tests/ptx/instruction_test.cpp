// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/instrument/ptx/instruction.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "lossless.hpp"

namespace ptx = pasta::ptx;

namespace {

using list = std::vector<std::string_view>;

list operands_of(std::string_view text) {
  auto const i = ptx::read_instruction(text);
  CHECK(pasta_test::find_loss(i).empty());
  return i.operands;
}

list address_of(std::string_view operand) {
  auto const a = ptx::read_address(operand);
  return {a.base, a.offset, a.rest};
}

}  // namespace

TEST_CASE("instruction: guard, opcode and operands") {
  auto const i = ptx::read_instruction("@!%p1 ld.global.v4.f32 \t{%f1, %f2, %f3, %f4}, [%rd1+16];");
  CHECK(i.guard.predicate == "%p1");
  CHECK(i.guard.is_negated);
  CHECK(i.opcode == "ld.global.v4.f32");
  CHECK(i.name == "ld");
  CHECK(i.operands == list{"{%f1, %f2, %f3, %f4}", "[%rd1+16]"});
  CHECK(i.has("v4"));
  CHECK_FALSE(i.has("ld"));
  CHECK_FALSE(i.has("v"));
  CHECK(i.modifier(0) == "global");
  CHECK(i.modifier(2) == "f32");
  CHECK(i.modifier(3).empty());
  CHECK(i.last_modifier() == "f32");
}

TEST_CASE("instruction: guards with and without blanks and negation") {
  auto const guard_of = [](std::string_view text) { return ptx::read_instruction(text).guard; };
  CHECK(guard_of("@p bra L;") == ptx::guard{"p", false});
  CHECK(guard_of("@ /* a */ ! p bra L;") == ptx::guard{"p", true});
  CHECK_FALSE(guard_of("bra L;"));
  CHECK(ptx::read_instruction("@%p1\n\tbra\tL;").name == "bra");
}

TEST_CASE("instruction: an opcode without parts has no modifier") {
  auto const i = ptx::read_instruction("ret;");
  CHECK(i.name == "ret");
  CHECK(i.opcode == "ret");
  CHECK(i.operands.empty());
  CHECK(i.modifier(0).empty());
  CHECK(i.last_modifier().empty());
}

TEST_CASE("instruction: parts with colons are whole") {
  auto const i = ptx::read_instruction("ld.global.L1::no_allocate.L2::128B.b32 %r1, [%rd1];");
  CHECK(i.has("L1::no_allocate"));
  CHECK(i.has("L2::128B"));
  CHECK_FALSE(i.has("L1"));
  CHECK(i.last_modifier() == "b32");
}

TEST_CASE("instruction: an opcode may have blanks and comments before a dot, as ptxas allows") {
  auto const i = ptx::read_instruction("ld .global /* x */ .u32 %r1, [a];");
  CHECK(i.name == "ld");
  CHECK(i.opcode == "ld .global /* x */ .u32");
  CHECK(i.has("global"));
  CHECK(i.modifier(0) == "global");
  CHECK(i.last_modifier() == "u32");
  CHECK(i.operands == list{"%r1", "[a]"});
}

TEST_CASE("instruction: commas within brackets do not part operands") {
  CHECK(operands_of("call.uni (retval0), \n_Z1fv, \n(\nparam0, \nparam1\n);") ==
        list{"(retval0)", "_Z1fv", "(\nparam0, \nparam1\n)"});
  CHECK(operands_of("call (r), %rd1, (), prototype_0;") == list{"(r)", "%rd1", "()", "prototype_0"});
  CHECK(operands_of("tex.2d.v4.f32.s32 {a,b,c,d}, [t, s, {x,y}];") == list{"{a,b,c,d}", "[t, s, {x,y}]"});
  CHECK(operands_of("setp.lt.and.f32 %p|%q, a, b, !r;") == list{"%p|%q", "a", "b", "!r"});
  CHECK(operands_of("mov.f32 %f1, -0f3F800000;") == list{"%f1", "-0f3F800000"});
}

TEST_CASE("instruction: comments are in no operand's ends") {
  CHECK(operands_of("add.s32 /* , */ %r1, // a, b;\n %r2 /*c*/, %r3 // d\n;") == list{"%r1", "%r2", "%r3"});
}

TEST_CASE("instruction: one that does not exist has parts too") {
  auto const i = ptx::read_instruction("frob.new::kind.b32x7 %r1, <a, 5>, #3;");
  CHECK(i.name == "frob");
  CHECK(i.last_modifier() == "b32x7");
  CHECK(i.operands == list{"%r1", "<a", "5>", "#3"});
}

TEST_CASE("instruction: odd text is read without fault") {
  for (std::string_view const text :
       {"",      ";",         "@",     "@!",   "@;",  "@!;",   "@5 ret;",        "a",   ".a.b;",   "a,;", "a ,,b;",
        "a (b;", "a )b, c(;", "a \"b", "a /*", "a.;", "a..b;", "a {b, [c}, d];", "@p;", "@p @q r;"}) {
    CHECK(pasta_test::find_loss(ptx::read_instruction(text)) == "");
  }
  CHECK(operands_of("a b,, c,;") == list{"b", "", "c", ""});
}

TEST_CASE("address: base, offset and what follows") {
  CHECK(address_of("[%rd1]") == list{"%rd1", "", ""});
  CHECK(address_of("[%rd1+16]") == list{"%rd1", "16", ""});
  CHECK(address_of("[%rd1+-4]") == list{"%rd1", "-4", ""});
  CHECK(address_of("[%rd1-4]") == list{"%rd1", "-4", ""});
  CHECK(address_of("[ symbol + 0x10 ]") == list{"symbol", "0x10", ""});
  CHECK(address_of("[0x100]") == list{"0x100", "", ""});
  CHECK(address_of("[a+4+(4*2)]") == list{"a", "4+(4*2)", ""});
  CHECK(address_of("[param_0+8]") == list{"param_0", "8", ""});
  CHECK(address_of("[/*a*/ %rd1 /*b*/ + /*c*/ 4 /*d*/]") == list{"%rd1", "4", ""});
  CHECK(address_of("[tensor, {%r1, %r2}]") == list{"tensor", "", "{%r1, %r2}"});
  CHECK(address_of("[%rd1+8, {%r1}]") == list{"%rd1", "8", "{%r1}"});
  CHECK(address_of("[t, s, {x,y}]") == list{"t", "", "s, {x,y}"});
}

TEST_CASE("address: another operand has no base") {
  for (std::string_view const operand : {"", "%r1", "{%r1, [%r2]}", "a[1]", "5", "[]", "[", "/*"}) {
    CHECK(ptx::read_address(operand).base.empty());
  }
  CHECK(address_of("[a") == list{"a", "", ""});
}

TEST_CASE("elements: of a vector, and of anything else") {
  CHECK(ptx::read_elements("{%r1, %r2,_ }") == list{"%r1", "%r2", "_"});
  CHECK(ptx::read_elements("{ /* a, b */ %r1 }") == list{"%r1"});
  CHECK(ptx::read_elements("{{a, b}, c}") == list{"{a, b}", "c"});
  CHECK(ptx::read_elements("{}").empty());
  CHECK(ptx::read_elements(" %r1 ") == list{"%r1"});
  CHECK(ptx::read_elements("{a, b") == list{"a", "b"});
  CHECK(ptx::read_elements("[a, b]") == list{"[a, b]"});
}
