// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <catch.hpp>
#include <random>

#include "run_kernel.hpp"

namespace {

using pasta_test::kernel_text;
using pasta_test::run_kernel;

using numbers = std::vector<float>;  // [rows][columns]

/// Small whole numbers: sums of products are exact.
numbers random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  numbers made(count);
  for (float& each : made) each = static_cast<float>(static_cast<int>(random() % 17) - 8);
  return made;
}
std::uint32_t half_bits(float value) {
  if (value == 0) return 0;
  std::uint32_t const bits = std::bit_cast<std::uint32_t>(value);
  return (bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 112) << 10 | (bits >> 13 & 1023);
}
std::uint32_t bfloat_bits(float value) { return std::bit_cast<std::uint32_t>(value) >> 16; }

std::vector<std::uint32_t> packed(numbers const& all, bool is_bf16) {
  auto const bits = is_bf16 ? &bfloat_bits : &half_bits;
  std::vector<std::uint32_t> words;
  for (std::size_t i = 0; i < all.size(); i += 2) words.push_back(bits(all[i]) | bits(all[i + 1]) << 16);
  return words;
}
std::vector<std::uint32_t> joined(std::vector<std::uint32_t> first, std::vector<std::uint32_t> const& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}
float number(std::uint32_t word) { return std::bit_cast<float>(word); }

/// A[m][k] times B[n][k].
float element_of(numbers const& a, numbers const& b, std::size_t row, std::size_t column, std::size_t k) {
  float sum = 0;
  for (std::size_t i = 0; i < k; ++i) sum += a[row * k + i] * b[column * k + i];
  return sum;
}

// %r5: the lane's group of four, %r6: twice its number in it.
std::string const lane_parts = "shr.u32 %r5, %r3, 2; and.b32 %r6, %r3, 3; shl.b32 %r6, %r6, 1;\n";
/// Loads a word of halves, of which there are k in a row. @param row, column code for them, in %r7 and %r8
std::string load_word(std::string const& into, std::string const& row_and_column, unsigned k, unsigned first_word) {
  return row_and_column + fmt::format(
                              "mad.lo.u32 %r7, %r7, {}, %r8; mul.wide.u32 %rd5, %r7, 2; add.u64 %rd5, %rd1, %rd5;\n"
                              "ld.global.b32 {}, [%rd5+{}];\n",
                              k, into, first_word * 4);
}

TEST_CASE("mma multiplies 16 by 8 elements, in f16 and bf16") {
  auto const k = GENERATE(8u, 16u);
  auto const is_bf16 = GENERATE(false, true);
  numbers const a = random_numbers(16 * k, 1), b = random_numbers(8 * k, 2);
  unsigned const b_begin = 16 * k / 2, d_begin = b_begin + 8 * k / 2;
  std::string body = lane_parts, a_registers, b_registers;
  for (unsigned n = 0; n < k / 4; ++n) {
    body += load_word(fmt::format("%r{}", 10 + n),
                      fmt::format("add.u32 %r7, %r5, {}; add.u32 %r8, %r6, {};\n", n % 2 * 8, n / 2 * 8), k, 0);
    a_registers += fmt::format("{}%r{}", n == 0 ? "" : ", ", 10 + n);
  }
  for (unsigned n = 0; n < k / 8; ++n) {
    body += load_word(fmt::format("%r{}", 14 + n), fmt::format("mov.u32 %r7, %r5; add.u32 %r8, %r6, {};\n", n * 8), k,
                      b_begin);
    b_registers += fmt::format("{}%r{}", n == 0 ? "" : ", ", 14 + n);
  }
  std::string const type = is_bf16 ? "bf16" : "f16";
  body += fmt::format(
      "mov.f32 %f1, 0f3f800000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;\n"
      "mma.sync.aligned.m16n8k{0}.row.col.f32.{1}.{1}.f32 {{%f1, %f2, %f3, %f4}}, {{{2}}}, {{{3}}}, {{%f1, %f2, %f3, "
      "%f4}};\n"
      "mad.lo.u32 %r7, %r5, 8, %r6; mul.wide.u32 %rd5, %r7, 4; add.u64 %rd5, %rd1, %rd5;\n"
      "st.global.v2.f32 [%rd5+{4}], {{%f1, %f2}}; st.global.v2.f32 [%rd5+{5}], {{%f3, %f4}};\nret;",
      k, type, a_registers, b_registers, d_begin * 4, d_begin * 4 + 64 * 4);
  auto const words =
      run_kernel(kernel_text(body), 1, 32, d_begin + 128, 0, {}, joined(packed(a, is_bf16), packed(b, is_bf16)));
  for (std::size_t row = 0; row < 16; ++row) {
    for (std::size_t column = 0; column < 8; ++column)
      CHECK(number(words[d_begin + row * 8 + column]) == 1 + element_of(a, b, row, column, k));
  }
}

TEST_CASE("mma of 8x8x4 makes four products in f16, one in f64") {
  // All elements of A are the product's number + 1, of B 1: each element of D is 4 times that.
  std::string const four = kernel_text(
      "and.b32 %r5, %r3, 12; shr.u32 %r5, %r5, 2; mov.u32 %r6, 0x3c00; setp.eq.u32 %p1, %r5, 1;\n"
      "@%p1 mov.u32 %r6, 0x4000; setp.eq.u32 %p1, %r5, 2; @%p1 mov.u32 %r6, 0x4200; setp.eq.u32 %p1, %r5, 3;\n"
      "@%p1 mov.u32 %r6, 0x4400; shl.b32 %r7, %r6, 16; or.b32 %r6, %r6, %r7; mov.u32 %r8, 0x3c003c00;\n"
      "mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1; mov.f32 %f5, %f1;\n"
      "mov.f32 %f6, %f1; mov.f32 %f7, %f1; mov.f32 %f0, %f1;\n"
      "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, {%r6, %r6}, {%r8, "
      "%r8}, {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};\n"
      "add.f32 %f0, %f0, %f7; st.global.f32 [%rd2], %f0; ret;");
  auto const words = run_kernel(four, 1, 32, 32);
  for (unsigned lane = 0; lane < 32; ++lane) CHECK(number(words[lane]) == 8 * (1 + static_cast<float>(lane % 16 / 4)));

  std::string const one = kernel_text(
      "shr.u32 %r5, %r3, 2; cvt.rn.f64.u32 %fd1, %r5; and.b32 %r6, %r3, 3; cvt.rn.f64.u32 %fd2, %r6;\n"
      "add.f64 %fd3, %fd1, 0d3ff0000000000000; mov.f64 %fd4, 0d3ff0000000000000; mov.f64 %fd5, %fd4;\n"
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd4, %fd5}, {%fd2}, {%fd3}, {%fd4, %fd5};\n"
      "cvt.rn.f32.f64 %f1, %fd4; st.global.f32 [%rd2], %f1; ret;");
  // A[m][k] = k, B[k][n] = n + 1: each element is 6 (n + 1) + 1; a lane's first column is twice its number of four.
  auto const sums = run_kernel(one, 1, 32, 32);
  for (unsigned lane = 0; lane < 32; ++lane)
    CHECK(number(sums[lane]) == 6 * (static_cast<float>(lane % 4 * 2) + 1) + 1);
}

/// Of four warps, 64 by n by 32 in two steps: A[64][32], B[n][32] and D[64][n] in memory one after the other, and in
/// shared memory A and B in tiles of 8 rows of 16 bytes, those along K side by side.
std::string warp_group_kernel(unsigned n, bool is_in_registers) {
  unsigned const b_shared = 64 * 32 * 2, d_begin = (64 + n) * 32 * 2;
  std::string body = fmt::format(
      "mov.u32 %r5, %r4;\n"
      "$next:\n"  // a pair of halves: row %r6, column %r7
      "setp.ge.u32 %p1, %r5, {0}; @%p1 bra $done;\n"
      "shr.u32 %r6, %r5, 4; and.b32 %r7, %r5, 15; shl.b32 %r7, %r7, 1;\n"
      "mul.wide.u32 %rd5, %r5, 4; add.u64 %rd5, %rd1, %rd5; ld.global.b32 %r8, [%rd5];\n"
      "shr.u32 %r9, %r6, 3; mul.lo.u32 %r9, %r9, 512; shr.u32 %r10, %r7, 3; mad.lo.u32 %r9, %r10, 128, %r9;\n"
      "and.b32 %r10, %r6, 7; mad.lo.u32 %r9, %r10, 16, %r9; and.b32 %r10, %r7, 7; mad.lo.u32 %r9, %r10, 2, %r9;\n"
      "mov.u32 %r10, tiles; add.u32 %r9, %r9, %r10; st.shared.b32 [%r9], %r8;\n"
      "add.u32 %r5, %r5, 128; bra $next;\n$done:\nbar.sync 0;\n",
      (64 + n) * 16);
  for (unsigned step = 0; step < 2; ++step) {
    // 128 bytes along K, 512 bytes to the next 8 rows; the second step is two tiles further.
    body += fmt::format(
        "mov.u32 %r10, tiles; add.u32 %r9, %r10, {0}; add.u32 %r10, %r10, {1};\n"
        "shr.u32 %r9, %r9, 4; shr.u32 %r10, %r10, 4; cvt.u64.u32 %rd5, %r9; cvt.u64.u32 %rd6, %r10;\n"
        "mov.u64 %rd7, {2}; or.b64 %rd5, %rd5, %rd7; or.b64 %rd6, %rd6, %rd7;\n",
        step * 256, b_shared + step * 256, std::uint64_t{128 / 16} << 16 | std::uint64_t{512 / 16} << 32);
    std::string a = "%rd5", more = "1, 1, 0, 0";
    if (is_in_registers) {
      body +=
          "shr.u32 %r5, %r3, 2; and.b32 %r6, %r3, 3; shl.b32 %r6, %r6, 1; shr.u32 %r9, %r4, 5;\n"
          "mad.lo.u32 %r5, %r9, 16, %r5;\n";
      for (unsigned i = 0; i < 4; ++i) {
        body += load_word(
            fmt::format("%r{}", 10 + i),
            fmt::format("add.u32 %r7, %r5, {}; add.u32 %r8, %r6, {};\n", i % 2 * 8, i / 2 * 8 + step * 16), 32, 0);
      }
      a = "{%r10, %r11, %r12, %r13}", more = "1, 1, 0";
    }
    body += "wgmma.fence.sync.aligned;\n";
    body += fmt::format("setp.ne.u32 %p2, {}, 0;\nwgmma.mma_async.sync.aligned.m64n{}k16.f32.bf16.bf16 {{", step, n);
    for (unsigned i = 0; i < n / 2; ++i) body += fmt::format("{}%d{}", i == 0 ? "" : ", ", i);
    body += fmt::format("}}, {}, %rd6, %p2, {};\n", a, more);
  }
  body +=
      "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
      "shr.u32 %r5, %r3, 2; and.b32 %r6, %r3, 3; shl.b32 %r6, %r6, 1; shr.u32 %r9, %r4, 5;\n"
      "mad.lo.u32 %r5, %r9, 16, %r5;\n";
  body += fmt::format("mad.lo.u32 %r7, %r5, {}, %r6; mul.wide.u32 %rd5, %r7, 4; add.u64 %rd5, %rd1, %rd5;\n", n);
  for (unsigned i = 0; i < n / 2; ++i)
    body += fmt::format("st.global.f32 [%rd5+{}], %d{};\n", d_begin + ((i / 2 % 2 * 8) * n + i / 4 * 8 + i % 2) * 4, i);
  return kernel_text(fmt::format(".reg .f32 %d<{}>;\n.shared .align 128 .b8 tiles[{}];\n", n / 2, (64 + n) * 64) +
                     body + "ret;");
}

TEST_CASE("wgmma multiplies 64 rows with four warps, A in registers or in shared memory") {
  auto const n = GENERATE(8u, 24u);
  auto const is_in_registers = GENERATE(false, true);
  numbers const a = random_numbers(64 * 32, 3), b = random_numbers(n * 32, 4);
  std::size_t const d_begin = (64 + n) * 16;
  auto const words = run_kernel(warp_group_kernel(n, is_in_registers), 1, 128, d_begin + 64 * n, 0, {},
                                joined(packed(a, true), packed(b, true)));
  for (std::size_t row = 0; row < 64; ++row) {
    for (std::size_t column = 0; column < n; ++column)
      REQUIRE(number(words[d_begin + row * n + column]) == element_of(a, b, row, column, 32));
  }
}

TEST_CASE("A product waits for all lanes, and is refused to a part of a warp") {
  std::string const product =
      "mov.u32 %r6, 0x3c003c00; mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;\n"
      "setp.lt.u32 %p1, %r3, 16; @%p1 bra $other; add.u32 %r7, %r3, 1;\n$other:\n"
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r6, %r6}, {%r6}, {%f1, %f2, %f3, "
      "%f4};\nst.global.f32 [%rd2], %f1; ret;";
  for (std::uint32_t const word : run_kernel(kernel_text(product), 1, 32, 32)) CHECK(number(word) == 8);
  CHECK_THROWS_WITH(run_kernel(kernel_text(product), 1, 24, 32),
                    pasta_test::contains_text("not all lanes of the warp are there"));
}

TEST_CASE("A product that is not known is refused with its instruction") {
  for (char const* const unknown :
       {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r1, "
        "%r2, %r3, %r4};",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3}, {%r6, %r6}, {%r6}, {%f1, %f2, %f3, %f4};",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd5, %rd6, %p2, -1, 1, 0, 0;"}) {
    CHECK_THROWS_AS(run_kernel(kernel_text(std::string(unknown) + "\nret;"), 1, 32, 32), ptx_emulation::unknown_code);
  }
}

}  // namespace
