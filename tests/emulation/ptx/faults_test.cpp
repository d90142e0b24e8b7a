// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What goes wrong is told with its place.
#include <catch.hpp>

#include "fault.hpp"
#include "run_kernel.hpp"

namespace {

using pasta_test::contains_text;
using pasta_test::kernel_text;
using pasta_test::run_kernel;
using ptx_emulation::fault_kind;
using ptx_emulation::kernel_fault;
using ptx_emulation::unknown_code;

kernel_fault fault_of(std::string const& body, std::uint32_t threads = 32, std::uint64_t most = 1'000'000) {
  ptx_emulation::launch_options options;
  options.most_instructions = most;
  try {
    run_kernel(kernel_text(body), 1, threads, 64, 0, options);
  } catch (kernel_fault const& fault) {
    return fault;
  }
  FAIL("no fault: " << body);
  return {fault_kind::trap, ""};
}
void check_fault(kernel_fault const& fault, fault_kind kind, std::string const& text) {
  CHECK(fault.kind == kind);
  CHECK_THAT(fault.what(), contains_text(text));
}

TEST_CASE("An access outside of every allocation names the instruction, the lane and the address") {
  check_fault(fault_of("st.global.u32 [%rd2+144], 1; ret;"), fault_kind::illegal_address,
              "line 11: st.global.u32 [%rd2+144], 1;: lane 28 of warp 0 of block (0, 0, 0): the address 0x");
  check_fault(fault_of("ld.global.v2.u32 {%r5, %r6}, [%rd1+256]; ret;"), fault_kind::illegal_address, "lane 0");
  check_fault(fault_of("mov.u64 %rd5, 0; ld.u32 %r5, [%rd5+4]; ret;"), fault_kind::illegal_address, "0x4 is outside");
  check_fault(fault_of(".shared .u32 s; ld.shared.u32 %r5, [s+16]; ret;"), fault_kind::illegal_address, "outside");
  check_fault(fault_of("mov.u32 %r5, 4; ld.shared.u32 %r5, [%r5+100000]; ret;"), fault_kind::illegal_address,
              "outside");
  check_fault(fault_of("ld.global.u32 %r5, [%rd1+2]; ret;"), fault_kind::misaligned_address, "no multiple");
}

TEST_CASE("Traps, endless programs and wrong masks are faults") {
  check_fault(fault_of("setp.eq.u32 %p1, %r3, 7; @%p1 trap; ret;"), fault_kind::trap, "trap");
  check_fault(fault_of("$here: bra $here; ret;"), fault_kind::endless, "bra");
  check_fault(fault_of("shfl.sync.idx.b32 %r5, %r3, 0, 31, 0xff; ret;"), fault_kind::illegal_instruction, "0x000000ff");
}

TEST_CASE("A deadlock tells where each lane waits") {
  // Half of the lanes wait for all at an exchange, the others for the first half behind the branch.
  kernel_fault const fault =
      fault_of("setp.lt.u32 %p1, %r3, 16; @%p1 bra $end; bar.warp.sync -1;\n$end: st.global.u32 [%rd2], 1; ret;");
  check_fault(fault, fault_kind::deadlock, "warp 0, lanes 0xffff0000: line 11: bar.warp.sync -1;: waits for the lanes");
  CHECK_THAT(fault.what(), contains_text("lanes 0x0000ffff: line 12: st.global.u32 [%rd2], 1;: waits to go on"));
  check_fault(fault_of("setp.lt.u32 %p1, %r4, 32; @%p1 bra $end; bar.sync 0;\n$end: bar.sync 1; ret;", 64),
              fault_kind::deadlock, "waits for the block");
}

TEST_CASE("What is not known is refused as a module is loaded") {
  auto const check_refused = [](std::string const& body, std::string const& why) {
    CHECK_THROWS_WITH(run_kernel(kernel_text(body), 1, 1, 1), contains_text(why));
    CHECK_THROWS_AS(run_kernel(kernel_text(body), 1, 1, 1), unknown_code);
  };
  check_refused("wibble.u32 %r5, %r6; ret;", "line 11: wibble.u32 %r5, %r6;: the instruction is not known");
  check_refused("add.wibble.u32 %r5, %r6, %r7; ret;", "its part .wibble is not known");
  check_refused("add.u32 %r5, %r6; ret;", "another number of operands");
  check_refused("add.u32 %r5, %r6, %r99; ret;", "the operand %r99 is not known");
  check_refused("bra $there; ret;", "the label $there is not there");
  check_refused("call f; ret;", "the function f is not defined");
  check_refused("ld.global.v2.u32 {%r5, %r6, %r7}, [%rd1]; ret;", "another number of elements");
  check_refused("mad.lo.cc.u32 %r5, %r6, %r7, %r8; ret;", "its part .cc is not known");
  check_refused("add.rz.f32 %f1, %f1, %f1; ret;", "its part .rz is not known");
}

}  // namespace
