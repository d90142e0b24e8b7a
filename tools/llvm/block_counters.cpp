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

// Before what each way out of the function begins with.
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

}  // namespace

void block_counters::add(llvm::Instruction& instruction, counted_site const& site) {
  sites_[begin_of_part(instruction)].push_back(site);
}

void block_counters::finish(write write_site) {
  if (sites_.empty()) return;
  llvm::Instruction& entry = *function_->getEntryBlock().getFirstInsertionPt();
  llvm::IRBuilder<> at_entry(&entry);
  llvm::SmallVector<llvm::AllocaInst*, 16> counters;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    llvm::AllocaInst* const counter = at_entry.CreateAlloca(at_entry.getInt64Ty(), nullptr, "pasta.counter");
    at_entry.CreateStore(at_entry.getInt64(0), counter);
    counters.push_back(counter);
  }
  auto const ends = find_ends(*function_);
  for (auto const& [part, counter] : llvm::zip(sites_, counters)) {
    llvm::IRBuilder<> at(part.first);
    llvm::Value* const before = at.CreateLoad(at.getInt64Ty(), counter);
    at.CreateStore(at.CreateAdd(before, at.getInt64(1)), counter);
  }
  for (llvm::Instruction* const end : ends) {
    for (auto const& [part, counter] : llvm::zip(sites_, counters)) {
      llvm::IRBuilder<> at(end);
      llvm::Value* const executions = at.CreateLoad(at.getInt64Ty(), counter);
      for (counted_site const& site : part.second) write_site(at, site, executions);
    }
  }
  llvm::DominatorTree tree(*function_);
  llvm::PromoteMemToReg(counters, tree);
}

}  // namespace pasta::plugin
