// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Small kernels for tests of the interpreter.
#ifndef PASTA_TESTS_EMULATION_PTX_RUN_KERNEL_HPP
#define PASTA_TESTS_EMULATION_PTX_RUN_KERNEL_HPP

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "launch.hpp"
#include "program.hpp"

namespace pasta_test {

/// What tests of kernels have in common: registers, and `%rd1` the memory, `%r1` the parameter n, `%r2` the thread's
/// number in the grid, `%r3` its lane, `%rd2` the address of its word.
inline std::string kernel_text(std::string const& body, std::string const& before = "") {
  return fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
{}
.visible .entry k(.param .u64 memory, .param .u32 n)
{{
  .reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .b16 %rs<8>; .reg .pred %p<8>; .reg .f32 %f<8>; .reg .f64 %fd<8>;
  ld.param.u64 %rd1, [memory]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r2, %r2, %r3, %r4;
  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2; mov.u32 %r3, %laneid;
{}
}}
)",
                     before, body);
}

/// Runs `k` and returns the memory, in words that were what `first` says and zeros behind.
inline std::vector<std::uint32_t> run_kernel(std::string const& text, std::uint32_t blocks, std::uint32_t threads,
                                             std::size_t words, std::uint32_t n = 0,
                                             ptx_emulation::launch_options const& options = {},
                                             std::vector<std::uint32_t> first = {}) {
  ptx_emulation::device_memory memory;
  ptx_emulation::program const module(text, memory);
  std::uint64_t const at = memory.allocate(words * 4);
  first.resize(words);
  std::memcpy(reinterpret_cast<void*>(at), first.data(), words * 4);
  std::byte parameters[12];
  std::memcpy(parameters, &at, 8);
  std::memcpy(parameters + 8, &n, 4);
  ptx_emulation::launch_shape shape;
  shape.grid[0] = blocks;
  shape.block[0] = threads;
  ptx_emulation::launch(module, *module.find_kernel("k"), shape, parameters, memory, options);
  std::memcpy(first.data(), reinterpret_cast<void const*>(at), words * 4);
  memory.free(at);
  return first;
}

/// What an instruction makes of up to four values. It reads %rd1 to %rd4, or their low bits as %r1, %rs1, %f1, %fd1 and
/// so on, predicates %p1 that are true where they are not 0, and writes %rd0, %r0, %rs0, %f0, %fd0 or %p0, and %p7.
/// Lanes alone and a whole warp must agree.
inline std::uint64_t evaluate(std::string const& instructions, std::vector<std::uint64_t> values,
                              std::uint64_t* second = nullptr) {
  values.resize(4);
  std::string body;
  for (int i = 1; i <= 4; ++i) {
    body += fmt::format(
        "mov.u64 %rd{0}, {1}; cvt.u32.u64 %r{0}, %rd{0}; cvt.u16.u64 %rs{0}, %rd{0}; mov.b32 %f{0}, %r{0};\n"
        "mov.b64 %fd{0}, %rd{0}; setp.ne.u64 %p{0}, %rd{0}, 0;\n",
        i, values[static_cast<std::size_t>(i - 1)]);
  }
  std::size_t const at = instructions.find_last_of(' ', instructions.find("0,"));
  std::string const to = instructions.substr(at + 1, instructions.find_first_of("|,", at) - at - 1);
  std::string const store = to == "%rd0"   ? "st.global.u64 [%rd9], %rd0;"
                            : to == "%fd0" ? "st.global.f64 [%rd9], %fd0;"
                            : to == "%r0"  ? "st.global.u32 [%rd9], %r0;"
                            : to == "%f0"  ? "st.global.f32 [%rd9], %f0;"
                            : to == "%rs0" ? "st.global.u16 [%rd9], %rs0;"
                                           : "selp.u32 %r0, 1, 0, %p0; st.global.u32 [%rd9], %r0;";
  std::string const text =
      kernel_text("mul.wide.u32 %rd9, %r2, 16; add.u64 %rd9, %rd1, %rd9; mov.pred %p7, 0;\n" + body + instructions +
                  "\n" + store + "\nselp.u32 %r0, 1, 0, %p7; st.global.u32 [%rd9+8], %r0; ret;");
  std::vector<std::uint32_t> const alone = run_kernel(text, 1, 1, 4), all = run_kernel(text, 1, 32, 32 * 4);
  for (std::size_t i = 0; i < 32 * 4; ++i) {
    if (all[i] != alone[i % 4]) throw std::runtime_error("a whole warp has another result: " + instructions);
  }
  if (second != nullptr) *second = alone[2];
  return alone[0] | std::uint64_t{alone[1]} << 32;
}

}  // namespace pasta_test
#endif
