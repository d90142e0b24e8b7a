// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <catch.hpp>
#include <pasta/instrument/ptx/control.hpp>
#include <pasta/instrument/ptx/instruction.hpp>

namespace {

namespace ptx = pasta::ptx;

struct row {
  char const* instruction;
  ptx::control to;
  bool ends_block, falls_through, may_leave;
};

TEST_CASE("Where control goes behind an instruction") {
  constexpr row rows[] = {
      {"add.s32 %r1, %r2, %r3;", ptx::control::next, false, true, false},
      {"@%p1 ld.global.u32 %r1, [%rd1];", ptx::control::next, false, true, false},
      {"bar.sync 0;", ptx::control::next, false, true, false},
      {"brkpt;", ptx::control::next, false, true, false},
      {"bra $L_1;", ptx::control::jump, true, false, false},
      {"bra.uni $L_1;", ptx::control::jump, true, false, false},
      {"@%p1 bra $L_1;", ptx::control::jump, true, true, false},
      {"@!%p1 bra.uni $L_1;", ptx::control::jump, true, true, false},
      {"brx.idx %r1, targets;", ptx::control::indexed_jump, true, false, false},
      {"@%p1 brx.idx %r1, targets;", ptx::control::indexed_jump, true, true, false},
      {"call.uni (retval0), helper, (param0);", ptx::control::call, false, true, true},
      {"@%p1 call helper;", ptx::control::call, false, true, true},
      {"ret;", ptx::control::to_caller, true, false, true},
      {"ret.uni;", ptx::control::to_caller, true, false, true},
      {"@%p1 ret;", ptx::control::to_caller, true, true, true},
      {"exit;", ptx::control::exit, true, false, true},
      {"@!%p1 exit;", ptx::control::exit, true, true, true},
      {"trap;", ptx::control::trap, true, false, true},
      {"@%p1 trap;", ptx::control::trap, true, true, true},
  };
  for (row const& each : rows) {
    CAPTURE(each.instruction);
    ptx::instruction const what = ptx::read_instruction(each.instruction);
    CHECK(ptx::control_of(what) == each.to);
    CHECK(ptx::ends_block(what) == each.ends_block);
    CHECK(ptx::falls_through(what) == each.falls_through);
    CHECK(ptx::may_leave(what) == each.may_leave);
  }
}

TEST_CASE("Jumps name their targets") {
  CHECK(ptx::jump_target(ptx::read_instruction("@%p1 bra $L__BB0_2;")) == "$L__BB0_2");
  CHECK(ptx::jump_target(ptx::read_instruction("bra.uni done;")) == "done");
  CHECK(ptx::jump_target(ptx::read_instruction("ret;")).empty());
  CHECK(ptx::jump_target(ptx::read_instruction("call helper;")).empty());
  CHECK(ptx::jump_target(ptx::read_instruction("bra;")).empty());
  CHECK(ptx::target_list(ptx::read_instruction("brx.idx %r7, $L_brx_0;")) == "$L_brx_0");
  CHECK(ptx::target_list(ptx::read_instruction("brx.idx.uni %r7, ts;")) == "ts");
  CHECK(ptx::target_list(ptx::read_instruction("bra $L_1;")).empty());
  CHECK(ptx::target_list(ptx::read_instruction("brx.idx %r7;")).empty());
}

}  // namespace
