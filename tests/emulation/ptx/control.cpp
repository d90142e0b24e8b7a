// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Where a lane goes on, and what it waits for.
#include "actions.hpp"

namespace ptx_emulation {

namespace {

void build_jump(function_compiler&, spelled const& text, op& into) {
  text.expect({"uni"});
  text.expect_operands(1);
  into.to = flow::jump;
}
void build_indexed_jump(function_compiler& names, spelled const& text, op& into) {
  text.expect({"idx", "uni"});
  text.expect_operands(2);
  into.to = flow::indexed_jump;
  into.at[0] = names.source(text.operand(0), {kind::unsigned_integer, 32});
}
void build_call(function_compiler& names, spelled const& text, op& into) {
  text.expect({"uni"});
  call_plan const plan = names.plan_call(text, into.at[0]);
  into.to = plan.callee == nullptr ? flow::indirect_call : flow::call;
  into.call = std::make_shared<call_plan const>(plan);
}
template <flow To>
void build_end(function_compiler&, spelled const& text, op& into) {
  text.expect({"uni"});
  text.expect_operands(0);
  into.to = To;
}
void build_sleep(function_compiler&, spelled const& text, op& into) {
  text.expect_operands(1);
  into.to = flow::pause;
}
void build_nothing(function_compiler&, spelled const&, op& into) {
  into.run = [](execution&, op const&, lane_mask) {};
}

// at: result, barrier, threads, predicate; o.value: whether threads are given
void build_barrier(function_compiler& names, spelled const& text, op& into) {
  if (text.has("warp")) return build_warp_barrier(names, text, into);
  text.expect({"cta", "sync", "arrive", "red", "aligned", "popc", "and", "or"});
  into.to = flow::barrier;
  into.at.fill(names.constant(0));
  into.at[0] = names.destination("_");
  scalar const word{kind::unsigned_integer, 32};
  std::size_t next = 0, end = text.what.operands.size();
  if (text.has("red")) {
    text.expect_operands(3, 4);
    into.variant = static_cast<std::uint8_t>(text.has("popc")  ? barrier_kind::count
                                             : text.has("and") ? barrier_kind::all
                                                               : barrier_kind::any);
    into.at[0] = names.destination(text.operand(next++));
    into.at[3] = names.predicate(text.operand(--end), into.inverts[0]);
  } else {
    text.expect_operands(1, 2);
    into.variant = static_cast<std::uint8_t>(text.has("arrive") ? barrier_kind::arrive : barrier_kind::sync);
  }
  into.at[1] = names.source(text.operand(next++), word);
  if (next < end) {
    into.at[2] = names.source(text.operand(next), word);
    into.value = 1;
  } else if (text.has("arrive")) {
    text.refuse("how many threads it has is not said");
  }
}

}  // namespace

builders control_builders() {
  return {{"bra", &build_jump},
          {"brx", &build_indexed_jump},
          {"call", &build_call},
          {"ret", &build_end<flow::to_caller>},
          {"exit", &build_end<flow::exit>},
          {"trap", &build_end<flow::trap>},
          {"nanosleep", &build_sleep},
          {"bar", &build_barrier},
          {"barrier", &build_barrier},
          {"setmaxnreg", &build_nothing},
          {"griddepcontrol", &build_nothing}};
}

}  // namespace ptx_emulation
