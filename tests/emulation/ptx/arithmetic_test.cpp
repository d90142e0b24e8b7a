// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <catch.hpp>
#include <limits>

#include "run_kernel.hpp"

namespace {

using pasta_test::evaluate;

std::uint64_t f(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t d(double value) { return std::bit_cast<std::uint64_t>(value); }
constexpr std::uint64_t minus(std::uint64_t value) { return 0 - value; }

TEST_CASE("Integers are added, multiplied and divided as PTX says") {
  CHECK(evaluate("add.u32 %r0, %r1, %r2;", {0xffffffff, 2}) == 1);
  CHECK(evaluate("add.s64 %rd0, %rd1, -3;", {1}) == minus(2));
  CHECK(evaluate("add.u16 %rs0, %rs1, %rs2;", {0xffff, 3}) == 2);
  CHECK(evaluate("sub.s32 %r0, %r1, %r2;", {1, 3}) == 0xfffffffe);
  CHECK(evaluate("mul.lo.s32 %r0, %r1, %r2;", {0x10001, 0x10001}) == 0x20001);
  CHECK(evaluate("mul.hi.u32 %r0, %r1, %r2;", {0xffffffff, 0xffffffff}) == 0xfffffffe);
  CHECK(evaluate("mul.hi.s32 %r0, %r1, %r2;", {0xffffffff, 0xffffffff}) == 0);
  CHECK(evaluate("mul.hi.u64 %rd0, %rd1, %rd2;", {minus(1), minus(1)}) == minus(2));
  CHECK(evaluate("mul.hi.s64 %rd0, %rd1, %rd2;", {minus(1), 5}) == minus(1));
  CHECK(evaluate("mul.wide.u32 %rd0, %r1, %r2;", {0xffffffff, 0xffffffff}) == 0xfffffffe00000001);
  CHECK(evaluate("mul.wide.s32 %rd0, %r1, %r2;", {0xffffffff, 7}) == minus(7));
  CHECK(evaluate("mul.wide.u16 %r0, %rs1, %rs2;", {0xffff, 0xffff}) == 0xfffe0001);
  CHECK(evaluate("mul.wide.s16 %r0, %rs1, %rs2;", {0xffff, 3}) == 0xfffffffd);
  CHECK(evaluate("mad.lo.u32 %r0, %r1, %r2, %r3;", {3, 5, 7}) == 22);
  CHECK(evaluate("mad.wide.u32 %rd0, %r1, %r2, %rd3;", {0x80000000, 4, 1}) == 0x200000001);
  CHECK(evaluate("mad.wide.s32 %rd0, %r1, %r2, %rd3;", {0xfffffffe, 4, 1}) == minus(7));
  CHECK(evaluate("mad.hi.u32 %r0, %r1, %r2, %r3;", {0x80000000, 4, 1}) == 3);
  CHECK(evaluate("mul24.lo.u32 %r0, %r1, %r2;", {0xff000003, 5}) == 15);
  CHECK(evaluate("mad24.lo.s32 %r0, %r1, %r2, %r3;", {0x00ffffff, 5, 1}) == 0xfffffffc);
  CHECK(evaluate("div.u32 %r0, %r1, %r2;", {7, 2}) == 3);
  CHECK(evaluate("div.s32 %r0, %r1, %r2;", {0xfffffff9, 2}) == 0xfffffffd);
  CHECK(evaluate("div.s32 %r0, %r1, %r2;", {0x80000000, 0xffffffff}) == 0x80000000);
  CHECK(evaluate("rem.u64 %rd0, %rd1, %rd2;", {100, 7}) == 2);
  CHECK(evaluate("rem.s32 %r0, %r1, %r2;", {0xfffffff9, 2}) == 0xffffffff);
  CHECK(evaluate("min.s32 %r0, %r1, %r2;", {0xffffffff, 1}) == 0xffffffff);
  CHECK(evaluate("min.u32 %r0, %r1, %r2;", {0xffffffff, 1}) == 1);
  CHECK(evaluate("max.s64 %rd0, %rd1, %rd2;", {minus(1), 1}) == 1);
  CHECK(evaluate("max.u64 %rd0, %rd1, %rd2;", {minus(1), 1}) == minus(1));
  CHECK(evaluate("neg.s32 %r0, %r1;", {5}) == 0xfffffffb);
  CHECK(evaluate("abs.s32 %r0, %r1;", {0xfffffffb}) == 5);
  CHECK(evaluate("sad.u32 %r0, %r1, %r2, %r3;", {3, 10, 100}) == 107);
}

TEST_CASE("A carry goes from one word to the next") {
  CHECK(evaluate("add.cc.u32 %r9, %r1, %r2; addc.u32 %r0, %r3, %r4;", {0xffffffff, 1, 5, 6}) == 12);
  CHECK(evaluate("add.cc.u32 %r9, %r1, %r2; addc.u32 %r0, %r3, %r4;", {0xfffffffe, 1, 5, 6}) == 11);
  CHECK(evaluate("add.cc.u32 %r9, %r1, 1; addc.cc.u32 %r9, %r2, 0; addc.u32 %r0, 0, 0;", {0xffffffff, 0xffffffff}) ==
        1);
  CHECK(evaluate("sub.cc.u32 %r9, %r1, %r2; subc.u32 %r0, %r3, %r4;", {0, 1, 9, 2}) == 6);
  CHECK(evaluate("sub.cc.u64 %rd11, %rd1, %rd2; subc.u64 %rd0, %rd3, %rd4;", {1, 1, 9, 2}) == 7);
}

TEST_CASE("Bits are moved, counted and looked up") {
  CHECK(evaluate("and.b32 %r0, %r1, %r2;", {0xff0f, 0x0ff0}) == 0x0f00);
  CHECK(evaluate("or.b64 %rd0, %rd1, %rd2;", {1, 0xf000000000000000}) == 0xf000000000000001);
  CHECK(evaluate("xor.b16 %rs0, %rs1, %rs2;", {0xffff, 0x00ff}) == 0xff00);
  CHECK(evaluate("not.b32 %r0, %r1;", {0xffff0000}) == 0xffff);
  CHECK(evaluate("cnot.b32 %r0, %r1;", {0}) == 1);
  CHECK(evaluate("xor.pred %p0, %p1, %p2;", {1, 1}) == 0);
  CHECK(evaluate("not.pred %p0, %p1;", {1}) == 0);
  CHECK(evaluate("shl.b32 %r0, %r1, %r2;", {3, 31}) == 0x80000000);
  CHECK(evaluate("shl.b32 %r0, %r1, %r2;", {3, 32}) == 0);
  CHECK(evaluate("shl.b64 %rd0, %rd1, %r2;", {1, 63}) == 0x8000000000000000);
  CHECK(evaluate("shr.u32 %r0, %r1, %r2;", {0x80000000, 31}) == 1);
  CHECK(evaluate("shr.s32 %r0, %r1, %r2;", {0x80000000, 40}) == 0xffffffff);
  CHECK(evaluate("shr.s64 %rd0, %rd1, 4;", {minus(32)}) == minus(2));
  CHECK(evaluate("shf.l.wrap.b32 %r0, %r1, %r2, %r3;", {0xf0000000, 0x00000001, 36}) == 0x1f);
  CHECK(evaluate("shf.r.clamp.b32 %r0, %r1, %r2, %r3;", {0xf0000000, 0x00000001, 36}) == 1);
  CHECK(evaluate("shf.r.wrap.b32 %r0, %r1, %r2, 4;", {0xf0000000, 0x00000001}) == 0x1f000000);
  CHECK(evaluate("bfe.u32 %r0, %r1, 4, 8;", {0xabcd}) == 0xbc);
  CHECK(evaluate("bfe.s32 %r0, %r1, 4, 8;", {0xabcd}) == 0xffffffbc);
  CHECK(evaluate("bfe.u64 %rd0, %rd1, 60, 8;", {0xa000000000000000}) == 0xa);
  CHECK(evaluate("bfi.b32 %r0, %r1, %r2, 8, 4;", {0xff, 0x12345678}) == 0x12345f78);
  CHECK(evaluate("bfi.b64 %rd0, %rd1, %rd2, 32, 32;", {7, 0x100000002}) == 0x700000002);
  CHECK(evaluate("bfind.u32 %r0, %r1;", {0x10}) == 4);
  CHECK(evaluate("bfind.s32 %r0, %r1;", {0xffffffff}) == 0xffffffff);
  CHECK(evaluate("bfind.shiftamt.u32 %r0, %r1;", {0x10}) == 27);
  CHECK(evaluate("popc.b64 %r0, %rd1;", {0xff000000000000ff}) == 16);
  CHECK(evaluate("clz.b32 %r0, %r1;", {0}) == 32);
  CHECK(evaluate("clz.b64 %r0, %rd1;", {1}) == 63);
  CHECK(evaluate("brev.b32 %r0, %r1;", {1}) == 0x80000000);
  CHECK(evaluate("prmt.b32 %r0, %r1, %r2, 0x5410;", {0x33221100, 0x77665544}) == 0x55441100);
  CHECK(evaluate("prmt.b32 %r0, %r1, %r2, 0xb;", {0x80000000, 0}) == 0xff);
  CHECK(evaluate("lop3.b32 %r0, %r1, %r2, %r3, 0xf8;", {0xf0, 0xcc, 0xaa}) == 0xf8);
  CHECK(evaluate("lop3.b32 %r0, %r1, %r2, %r3, 0x96;", {0xf0, 0xcc, 0xaa}) == (0xf0 ^ 0xcc ^ 0xaa));
}

TEST_CASE("Comparisons join and select") {
  CHECK(evaluate("setp.lt.s32 %p0, %r1, %r2;", {0xffffffff, 0}) == 1);
  CHECK(evaluate("setp.lt.u32 %p0, %r1, %r2;", {0xffffffff, 0}) == 0);
  CHECK(evaluate("setp.eq.and.u32 %p0, %r1, %r2, %p3;", {4, 4, 0}) == 0);
  CHECK(evaluate("setp.eq.and.u32 %p0, %r1, %r2, !%p3;", {4, 4, 0}) == 1);
  CHECK(evaluate("setp.ne.or.u32 %p0, %r1, %r2, %p3;", {4, 4, 1}) == 1);
  CHECK(evaluate("setp.eq.xor.u32 %p0, %r1, %r2, %p3;", {4, 4, 1}) == 0);
  std::uint64_t other = 7;
  CHECK(evaluate("setp.gt.and.s32 %p0|%p7, %r1, %r2, %p3;", {4, 5, 1}, &other) == 0);
  CHECK(other == 1);
  CHECK(evaluate("setp.hs.u64 %p0, %rd1, %rd2;", {5, 5}) == 1);
  std::uint64_t const nan = f(std::numeric_limits<float>::quiet_NaN());
  CHECK(evaluate("setp.lt.f32 %p0, %f1, %f2;", {f(-1), f(2)}) == 1);
  CHECK(evaluate("setp.ne.f32 %p0, %f1, %f2;", {nan, f(2)}) == 0);
  CHECK(evaluate("setp.neu.f32 %p0, %f1, %f2;", {nan, f(2)}) == 1);
  CHECK(evaluate("setp.nan.f32 %p0, %f1, %f2;", {nan, f(2)}) == 1);
  CHECK(evaluate("set.eq.u32.u32 %r0, %r1, %r2;", {4, 4}) == 0xffffffff);
  CHECK(evaluate("selp.b32 %r0, %r1, %r2, %p3;", {4, 5, 0}) == 5);
  CHECK(evaluate("slct.u32.s32 %r0, %r1, %r2, %r3;", {4, 5, 0xffffffff}) == 5);
}

TEST_CASE("Values become those of other types") {
  CHECK(evaluate("cvt.s64.s32 %rd0, %r1;", {0xffffffff}) == minus(1));
  CHECK(evaluate("cvt.u64.u32 %rd0, %r1;", {0xffffffff}) == 0xffffffff);
  CHECK(evaluate("cvt.s32.s8 %r0, %r1;", {0x80}) == 0xffffff80);
  CHECK(evaluate("cvt.s8.s32 %r0, %r1;", {0x80}) == 0xffffff80);
  CHECK(evaluate("cvt.u8.u32 %r0, %r1;", {0x180}) == 0x80);
  CHECK(evaluate("cvt.sat.s8.s32 %r0, %r1;", {1000}) == 127);
  CHECK(evaluate("cvt.sat.u8.s32 %r0, %r1;", {0xffffffff}) == 0);
  CHECK(evaluate("cvt.rn.f32.s32 %f0, %r1;", {0xffffffff}) == f(-1));
  CHECK(evaluate("cvt.rn.f64.u64 %fd0, %rd1;", {minus(1)}) == d(18446744073709551616.0));
  CHECK(evaluate("cvt.rzi.s32.f32 %r0, %f1;", {f(-2.7F)}) == 0xfffffffe);
  CHECK(evaluate("cvt.rni.s32.f32 %r0, %f1;", {f(2.5F)}) == 2);
  CHECK(evaluate("cvt.rpi.u32.f32 %r0, %f1;", {f(2.1F)}) == 3);
  CHECK(evaluate("cvt.rzi.s32.f32 %r0, %f1;", {f(1e20F)}) == 0x7fffffff);
  CHECK(evaluate("cvt.rzi.u32.f32 %r0, %f1;", {f(-5)}) == 0);
  CHECK(evaluate("cvt.f64.f32 %fd0, %f1;", {f(0.5F)}) == d(0.5));
  CHECK(evaluate("cvt.rn.f32.f64 %f0, %fd1;", {d(0.1)}) == f(0.1F));
  CHECK(evaluate("mov.b64 %rd0, {%r1, %r2};", {1, 2}) == 0x200000001);
  CHECK(evaluate("mov.b64 {%r9, %r0}, %rd1; mov.u32 %r0, %r0;", {0x200000001}) == 2);
  CHECK(evaluate("mov.b32 %r0, {%rs1, %rs2};", {1, 2}) == 0x20001);
}

TEST_CASE("Floats are rounded to the nearest") {
  CHECK(evaluate("add.f32 %f0, %f1, %f2;", {f(0.1F), f(0.2F)}) == f(0.1F + 0.2F));
  CHECK(evaluate("mul.rn.f64 %fd0, %fd1, %fd2;", {d(0.1), d(3)}) == d(0.1 * 3));
  CHECK(evaluate("fma.rn.f32 %f0, %f1, %f2, %f3;", {f(1 + 0x1p-12F), f(1 - 0x1p-12F), f(-1)}) == f(-0x1p-24F));
  CHECK(evaluate("div.rn.f32 %f0, %f1, %f2;", {f(1), f(3)}) == f(1.0F / 3.0F));
  CHECK(evaluate("min.f32 %f0, %f1, %f2;", {f(-1), f(3)}) == f(-1));
  CHECK(evaluate("add.sat.f32 %f0, %f1, %f2;", {f(3), f(3)}) == f(1));
  CHECK(evaluate("mul.ftz.f32 %f0, %f1, %f2;", {f(1e-30F), f(1e-10F)}) == 0);
  CHECK(evaluate("sqrt.rn.f32 %f0, %f1;", {f(9)}) == f(3));
  CHECK(evaluate("neg.f32 %f0, %f1;", {f(9)}) == f(-9));
  CHECK(evaluate("add.f32 %f0, %f1, 0f3F800000;", {f(2)}) == f(3));
  CHECK(evaluate("add.f64 %fd0, %fd1, 0d3FF0000000000000;", {d(2)}) == d(3));
}

}  // namespace
