// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The kernels that the tests of the ptx route run, and the hooks that are put into them.
#ifndef PASTA_TESTS_GPU_PTX_KERNEL_HPP
#define PASTA_TESTS_GPU_PTX_KERNEL_HPP

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace ptx_test {

/// On a GPU lanes that wait for a lock may let others go on that wait for them (docs/routes.md).
#ifdef PASTA_LANES_STAY_TOGETHER
inline constexpr bool lanes_stay_together = true;
#else
inline constexpr bool lanes_stay_together = false;
#endif

/// A kernel `k(.param .u64 a, .param .u32 n)`: %rd1 is a, %r1 n, %r2 the thread's number, %rd2 the address of its word,
/// %r3 its lane, %r4 its number in the block.
inline std::string kernel(std::string const& body, std::string const& before = "") {
  return fmt::format(R"(.version 7.0
.target sm_80
.address_size 64
{}
.visible .entry k(.param .u64 pa, .param .u32 pn)
{{
  .reg .b64 %rd<9>; .reg .b32 %r<20>; .reg .pred %p<5>; .reg .f32 %f<9>;
  ld.param.u64 %rd1, [pa]; ld.param.u32 %r1, [pn];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r2, %r2, %r3, %r4;
  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd2, %rd1, %rd2; mov.u32 %r3, %laneid;
{}
}}
)",
                     before, body);
}

/// Of a tool: NAME.ptx beside the program.
inline std::string hook_text(char const* tool) {
  std::filesystem::path const program = std::filesystem::read_symlink("/proc/self/exe");
  std::ifstream file(program.parent_path() / fmt::format("{}.ptx", tool), std::ios::binary);
  if (!file) throw std::runtime_error(fmt::format("there is no {}.ptx beside the program", tool));
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace ptx_test
#endif
