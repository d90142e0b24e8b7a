// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// How often each basic block of a function was executed, in a register for each block that somebody asks about.
#ifndef PASTA_TOOLS_LLVM_BLOCK_COUNTERS_HPP
#define PASTA_TOOLS_LLVM_BLOCK_COUNTERS_HPP

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>

namespace pasta::plugin {

/// Before what each way out of a function begins with.
llvm::SmallVector<llvm::Instruction*, 8> find_ends(llvm::Function& function);

class block_counters {
 public:
  /// @param executions [counter], of 64 bits
  using write = llvm::function_ref<void(llvm::IRBuilder<>& at, llvm::ArrayRef<llvm::Value*> executions)>;

  explicit block_counters(llvm::Function& function) : function_(&function) {}

  /// @return the number of the counter that counts how often the instruction is executed
  unsigned add(llvm::Instruction& instruction);
  unsigned size() const { return static_cast<unsigned>(counters_.size()); }

  /// Makes the counters, and has them written wherever the function ends. They become registers at once.
  void finish(write write_all);

 private:
  llvm::Function* function_;
  // A call in a block's middle that may end the thread or unwind parts it.
  llvm::MapVector<llvm::Instruction*, unsigned> counters_;  // [first instruction of a part]
};

}  // namespace pasta::plugin
#endif
