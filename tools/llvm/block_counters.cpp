// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "block_counters.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace pasta::plugin {

namespace {

bool may_end_thread(llvm::Instruction const& instruction) {
  auto const* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call != nullptr && (call->doesNotReturn() || !call->doesNotThrow());
}

// Where the part of the block begins that is executed as often as the instruction.
llvm::Instruction* begin_of_part(llvm::Instruction& instruction) {
  llvm::Instruction* begin = &*instruction.getParent()->getFirstInsertionPt();
  for (llvm::Instruction* at = begin; at != &instruction && at != nullptr; at = at->getNextNode()) {
    if (may_end_thread(*at) && at->getNextNode() != nullptr) begin = at->getNextNode();
  }
  return begin;
}

}  // namespace

llvm::SmallVector<llvm::Instruction*, 8> find_ends(llvm::Function& function) {
  llvm::SmallVector<llvm::Instruction*, 8> ends;
  for (llvm::BasicBlock& block : function) {
    llvm::Instruction* const last = block.getTerminator();
    if (llvm::isa<llvm::ReturnInst>(last) || llvm::isa<llvm::ResumeInst>(last)) ends.push_back(last);
    if (!llvm::isa<llvm::UnreachableInst>(last)) continue;
    llvm::Instruction* end = last;
    for (llvm::Instruction& instruction : block) {
      auto const* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call != nullptr && call->doesNotReturn()) {
        end = &instruction;
        break;
      }
    }
    ends.push_back(end);
  }
  return ends;
}

unsigned block_counters::add(llvm::Instruction& instruction) {
  return counters_.insert({begin_of_part(instruction), size()}).first->second;
}

void block_counters::finish(write write_all) {
  if (counters_.empty()) return;
  llvm::IRBuilder<> at_entry(&*function_->getEntryBlock().getFirstInsertionPt());
  llvm::SmallVector<llvm::AllocaInst*, 16> counters;
  for (unsigned i = 0; i < size(); ++i) {
    llvm::AllocaInst* const counter = at_entry.CreateAlloca(at_entry.getInt64Ty(), nullptr, "pasta.counter");
    at_entry.CreateStore(at_entry.getInt64(0), counter);
    counters.push_back(counter);
  }
  auto const ends = find_ends(*function_);
  for (auto const& [begin, counter] : counters_) {
    llvm::IRBuilder<> at(begin);
    llvm::Value* const before = at.CreateLoad(at.getInt64Ty(), counters[counter]);
    at.CreateStore(at.CreateAdd(before, at.getInt64(1)), counters[counter]);
  }
  for (llvm::Instruction* const end : ends) {
    llvm::IRBuilder<> at(end);
    llvm::SmallVector<llvm::Value*, 16> executions;
    for (llvm::AllocaInst* const counter : counters) executions.push_back(at.CreateLoad(at.getInt64Ty(), counter));
    write_all(at, executions);
  }
  llvm::DominatorTree tree(*function_);
  llvm::PromoteMemToReg(counters, tree);
}

}  // namespace pasta::plugin
