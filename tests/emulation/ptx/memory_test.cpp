// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Spaces, vectors, atomic operations, variables.
#include <catch.hpp>

#include "run_kernel.hpp"

namespace {

using pasta_test::kernel_text;
using pasta_test::run_kernel;
using words = std::vector<std::uint32_t>;

words run(std::string const& body, words first, std::string const& before = "") {
  std::size_t const size = first.size();
  return run_kernel(kernel_text(body + " ret;", before), 1, 1, size, 0, {}, std::move(first));
}

TEST_CASE("Loads fill their registers, stores leave out what is not theirs") {
  CHECK(run("ld.global.s8 %r5, [%rd1]; st.global.u32 [%rd1+4], %r5;", {0x80, 0}) == words{0x80, 0xffffff80});
  CHECK(run("ld.global.u8 %r5, [%rd1]; st.global.u32 [%rd1+4], %r5;", {0x180, 0}) == words{0x180, 0x80});
  CHECK(run("ld.global.s16 %r5, [%rd1+2]; st.global.u32 [%rd1+4], %r5;", {0x80000000, 0}) ==
        words{0x80000000, 0xffff8000});
  CHECK(run("ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1]; st.global.v4.u32 [%rd1+16], {%r8, _, %r6, %r5};",
            {1, 2, 3, 4, 9, 9, 9, 9}) == words{1, 2, 3, 4, 4, 9, 2, 1});
  CHECK(run("add.u64 %rd3, %rd1, 16; ld.volatile.global.v2.u64 {%rd4, %rd5}, [%rd3+-16]; st.global.u64 [%rd3], %rd5;",
            {1, 2, 3, 4, 0, 0}) == words{1, 2, 3, 4, 3, 4});
  CHECK(run(".reg .b128 %q; ld.global.b128 %q, [%rd1]; mov.b128 {%rd4, %rd5}, %q; st.global.u64 [%rd1+8], %rd4;",
            {1, 2, 3, 4}) == words{1, 2, 1, 2});
  CHECK(run("st.global.u8 [%rd1+1], 0xff;", {0}) == words{0xff00});
}

TEST_CASE("Shared, local, constant and generic addresses lead to their memory") {
  CHECK(run(".shared .align 8 .b8 s[16]; .local .align 8 .b8 l[16]; mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3;"
            "mov.u64 %rd4, l; cvta.local.u64 %rd4, %rd4; st.u32 [%rd3+4], 5; st.u32 [%rd4+8], 6;"
            "ld.shared.u32 %r5, [s+4]; ld.local.u32 %r6, [l+8]; st.u32 [%rd1], %r5; st.global.u32 [%rd1+4], %r6;"
            "isspacep.shared %p1, %rd3; isspacep.local %p2, %rd4; isspacep.global %p3, %rd1; isspacep.global %p4, %rd3;"
            "selp.u32 %r5, 1, 0, %p1; selp.u32 %r6, 10, 0, %p2; selp.u32 %r7, 100, 0, %p3; selp.u32 %r8, 1000, 0, %p4;"
            "add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r7; add.u32 %r5, %r5, %r8; st.global.u32 [%rd1+8], %r5;",
            {0, 0, 0}) == words{5, 6, 111});
  CHECK(
      run("ld.const.u32 %r5, [c+4]; ld.global.u32 %r6, [g]; ld.global.u64 %rd3, [pointer]; ld.u16 %rs1, [%rd3+2];"
          "cvt.u32.u16 %r7, %rs1; st.global.u32 [%rd1], %r5; st.global.u32 [%rd1+4], %r6; st.global.u32 [%rd1+8], %r7;",
          {0, 0, 0},
          ".const .align 4 .b8 c[8] = {1, 2, 3, 4, 5, 6, 7, 0x80}; .global .s32 g = -2;"
          ".global .align 2 .u16 h[3] = {10, 11, 12}; .global .u64 pointer = generic(h)+2;") ==
      words{0x80070605, 0xfffffffe, 12});
}

TEST_CASE("Lanes have local memory of their own, blocks shared memory of theirs") {
  words const found = run_kernel(kernel_text(R"(
  .local .align 4 .b8 own[8]; .shared .u32 sum;
  setp.eq.u32 %p1, %r4, 0; @%p1 st.shared.u32 [sum], 0; bar.sync 0;
  st.local.u32 [own+4], %r2; red.shared.add.u32 [sum], %r2; bar.sync 0;
  ld.local.u32 %r5, [own+4]; ld.shared.u32 %r6, [sum]; mad.lo.u32 %r5, %r6, 1000, %r5;
  st.global.u32 [%rd2], %r5; ret;)"),
                                 2, 40, 80);
  for (std::uint32_t i = 0; i < 80; ++i) CHECK(found[i] == (i < 40 ? 780 : 2380) * 1000 + i);
}

TEST_CASE("Atomic operations return what was there") {
  auto const atomic = [](std::string const& what, std::uint32_t at, std::uint32_t operand) {
    return run(fmt::format("atom.global.{} %r5, [%rd1], {}; st.global.u32 [%rd1+4], %r5;", what, operand), {at, 0});
  };
  CHECK(atomic("add.u32", 5, 7) == words{12, 5});
  CHECK(atomic("min.s32", 0xffffffff, 3) == words{0xffffffff, 0xffffffff});
  CHECK(atomic("min.u32", 0xffffffff, 3) == words{3, 0xffffffff});
  CHECK(atomic("relaxed.gpu.max.u32", 2, 3) == words{3, 2});
  CHECK(atomic("and.b32", 6, 3) == words{2, 6});
  CHECK(atomic("or.b32", 6, 3) == words{7, 6});
  CHECK(atomic("xor.b32", 6, 3) == words{5, 6});
  CHECK(atomic("exch.b32", 6, 3) == words{3, 6});
  CHECK(atomic("inc.u32", 3, 3) == words{0, 3});
  CHECK(atomic("dec.u32", 0, 3) == words{3, 0});
  CHECK(run("atom.global.cas.b64 %rd3, [%rd1], 0x200000001, 9; st.global.u64 [%rd1+8], %rd3;", {1, 2, 0, 0}) ==
        words{9, 0, 1, 2});
  CHECK(run("red.global.add.u64 [%rd1], 1;", {0xffffffff, 2}) == words{0, 3});
  CHECK(run("mov.f32 %f1, 0f3F800000; red.global.add.f32 [%rd1], %f1;", {0x3f800000}) == words{0x40000000});
}

TEST_CASE("All lanes' additions arrive, whatever the width") {
  CHECK(run_kernel(kernel_text("red.global.add.u64 [%rd1], 0x100000001; ret;"), 7, 100, 2) == words{700, 700});
}

TEST_CASE("A copy to shared memory fills with zeros what it does not read") {
  CHECK(run(".shared .align 16 .b8 s[16]; mov.u32 %r5, s; cp.async.ca.shared.global [%r5], [%rd1], 16, 6;"
            "cp.async.wait_all; ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [s]; st.global.v4.u32 [%rd1], {%r5, %r6, %r7, "
            "%r8};",
            {1, 0x20002, 3, 4}) == words{1, 2, 0, 0});
}

TEST_CASE("Functions call themselves") {
  // 1 + 2 + … + 6, with local memory in each call.
  std::string const sum = R"(.func (.param .b32 r) f(.param .b32 n)
{
  .reg .b32 %r<5>; .reg .pred %p1; .local .u32 own; .param .b32 a; .param .b32 b;
  ld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 0; @%p1 bra $none; st.local.u32 [own], %r1;
  sub.u32 %r2, %r1, 1; st.param.b32 [a], %r2; call (b), f, (a); ld.param.b32 %r3, [b]; ld.local.u32 %r4, [own];
  add.u32 %r3, %r3, %r4; st.param.b32 [r], %r3; ret;
$none: st.param.b32 [r], 0; ret;
})";
  CHECK(run(".param .b32 x; .param .b32 y; st.param.b32 [x], 6; call (y), f, (x); ld.param.b32 %r5, [y];"
            "st.global.u32 [%rd1], %r5;",
            {0}, sum) == words{21});
}

}  // namespace
