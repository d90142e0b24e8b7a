// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Where control goes behind an instruction.
#ifndef PASTA_INSTRUMENT_PTX_CONTROL_HPP
#define PASTA_INSTRUMENT_PTX_CONTROL_HPP

#include <cstddef>
#include <cstdint>
#include <pasta/instrument/ptx/instruction.hpp>
#include <string_view>

namespace pasta::ptx {

enum class control : std::uint8_t {
  next,          ///< to the next instruction
  jump,          ///< to jump_target()
  indexed_jump,  ///< to one of the labels of target_list()
  call,          ///< into a function, which may end the thread
  to_caller,     ///< to the caller; ends the thread in a kernel
  exit,          ///< ends the thread
  trap           ///< ends the launch
};

/// Without regard to the guard: that a guarded instruction may also go on to the next says falls_through().
inline control control_of(instruction const& what) {
  std::string_view const name = what.name;
  if (name == "bra") return control::jump;
  if (name == "brx") return control::indexed_jump;
  if (name == "call") return control::call;
  if (name == "ret") return control::to_caller;
  if (name == "exit") return control::exit;
  if (name == "trap") return control::trap;
  return control::next;
}

/// Whether a basic block ends with it, guarded or not. A call does not end one.
inline bool ends_block(instruction const& what) {
  control const to = control_of(what);
  return to != control::next && to != control::call;
}

/// Whether control can come to the next instruction. A call counts as if it returned.
inline bool falls_through(instruction const& what) { return !ends_block(what) || what.guard; }

/// Whether a thread may leave the function here and not come back: what must be written out has to be written before.
/// True for each call: a callee may run `exit` or `trap`. What calls a function that is known not to may be spared.
inline bool may_leave(instruction const& what) {
  control const to = control_of(what);
  return to == control::call || to == control::to_caller || to == control::exit || to == control::trap;
}

/// The label that a `bra` names; empty for others.
inline std::string_view jump_target(instruction const& what) {
  return what.name == "bra" && !what.operands.empty() ? what.operands.front() : std::string_view();
}

/// The name of the `.branchtargets` list of a `brx.idx`; empty for others.
inline std::string_view target_list(instruction const& what) {
  return what.name == "brx" && what.operands.size() > 1 ? what.operands[1] : std::string_view();
}

/// The index in instruction::operands of what a `call` calls: `f` of `call (r), f, (a)`.
inline std::size_t callee_operand(instruction const& what) {
  return !what.operands.empty() && what.operands.front().starts_with('(') ? 1 : 0;
}

/// Whether a `call` goes through a register: behind the callee and its arguments such a call names a prototype or a
/// list of what it may call.
inline bool is_indirect_call(instruction const& what) {
  return what.name == "call" && what.operands.size() > callee_operand(what) + 1 &&
         !what.operands.back().starts_with('(');
}

}  // namespace pasta::ptx
#endif
