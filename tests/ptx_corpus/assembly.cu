// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// PTX that people write by hand: scopes, labels, comments, several statements in a line, numbers in all forms.
// corpus: -arch=compute_75
// corpus: -arch=compute_90 -G
#include <cstdint>

__global__ void scopes(std::uint32_t* at) {
  std::uint32_t x = at[0];
  asm volatile(
      "{ // a scope of its own; with a brace } in a comment\n"
      "\t.reg .u32 t<4>; /* four\n\t registers { */ .reg .f32 f; .reg .pred is_odd;\n"
      "\t.reg .b64 %%a;\n"
      "\tand.b32 t0, %0, 1;setp.eq.u32 is_odd, t0, 1;\n"
      "\t@ is_odd add.u32 t1, %0, 0x1F; @!is_odd sub.u32 t1,%0,0b101;\n"
      "\tmov.f32 f, 0f3F800000; // 1.0\n"
      "\tcvt.rzi.u32.f32\tt2 ,\tf\t;\n"
      "\t{ .reg .u32 t3; mad.lo.u32 t3, t1, 017, t2; mov.u32 %0, t3; }\n"
      "}\n"
      : "+r"(x));
  at[1] = x;
}

__global__ void loop(std::uint32_t* at, std::uint32_t count) {
  asm volatile(
      "{\n"
      ".reg .pred again; .reg .u32 i, v; .reg .u64 p;\n"
      "mov.u32 i, 0; mov.u64 p, %0;\n"
      "AGAIN_%=:\n"
      "  ld.global.u32 v, [p];  st.global.u32 [p+4], v; add.u64 p, p, 4;\n"
      "  add.u32 i, i, 1; setp.lt.u32 again, i, %1;\n"
      "  @again bra.uni AGAIN_%=;\n"
      "}\n" ::"l"(at),
      "r"(count)
      : "memory");
}

__global__ void addresses(std::uint64_t* at) {
  asm volatile(
      "{\n"
      ".shared .align 16 .b8 room[64];\n"
      ".local .align 8 .b8 own[16];\n"
      ".reg .b32 a; .reg .b64 b; .reg .b16 h; .reg .pred p;\n"
      "mov.b32 a, 5;\n"
      "st.shared.b32 [room + 0x10], a;\n"
      "st.local.v2.b32 [own], {a, 3};\n"
      "ld.volatile.shared.b32 a, [room+16];\n"
      "cvta.local.u64 b, own; ld.b32 a, [b+4];\n"
      "cvt.u64.u32 b, a; st.global.b64 [%0 + -8], b;\n"
      "mov.b64 {a, _}, b; mov.b32 {h, _}, a; st.global.b16 [%0], h;\n"
      "isspacep.global p, %0; selp.b32 a, 1, 0, p; st.global.b32 [%0+16], a;\n"
      "}\n" ::"l"(at)
      : "memory");
}

#ifndef __CUDACC_DEBUG__  // ptxas 13.0 crashes on a constant within a function that has debug information
__global__ void constant_in_function(std::uint32_t* at) {
  asm volatile(
      "{\n"
      ".const .align 4 .b32 fixed[2] = {7, -8};\n"
      ".reg .b32 a;\n"
      "ld.const.b32 a, [fixed+4]; st.global.b32 [%0], a;\n"
      "}\n" ::"l"(at)
      : "memory");
}
#endif

__global__ void not_unrolled(std::uint32_t* at) {
  asm volatile(".pragma \"nounroll\";");
  for (std::uint32_t i = 0; i < at[0]; ++i) {
    asm volatile("/* empty; */");
    at[i] = i;
  }
}
