// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Hooks that a function calls because there are too many to inline: each call takes as few words as tell the rest.
#ifndef PASTA_TOOLS_LLVM_CALLED_HOOKS_HPP
#define PASTA_TOOLS_LLVM_CALLED_HOOKS_HPP

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "device_state.hpp"
#include "device_tools.hpp"

namespace pasta::plugin {

/// A call of a hook with all its arguments: those of the event, then rows, then the thread's state.
struct hook_call {
  llvm::CallInst* call;
  device_tool const* tool;
  hook_function which;
  device_state::tool_area const* area;  ///< null: it gets no rows
  std::int64_t site_row, function_row;  ///< -1: none
};

/// Calls in its place a function that has the hook inlined: of the module, one for all calls whose event has the same
/// constants (size, kind, space). It gets the rows' numbers and where the tool's memory begins, and finds the rows.
/// @return the function, if it was made for this call, or null
/// @param shard, shared where a shard and what a launch has once begin, as words that all lanes have alike
llvm::Function* call_by_numbers(hook_call const& of, llvm::Value* shard, llvm::Value* shared,
                                llvm::Function const& caller);

/// An address or a word of 32 bits that is the same for all lanes, so that a compiler which does not see it needs no
/// vector registers. Where lanes are emulated it stays what it is.
llvm::Value* as_scalar(llvm::IRBuilder<>& at, llvm::Value* value);

}  // namespace pasta::plugin
#endif
