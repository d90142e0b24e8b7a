// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// How often each basic block of a function was executed, in a register for each block that somebody asks about.
#ifndef PASTA_TOOLS_LLVM_BLOCK_COUNTERS_HPP
#define PASTA_TOOLS_LLVM_BLOCK_COUNTERS_HPP

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>

#include "sites.hpp"

namespace pasta::plugin {

struct counted_site {
  llvm::Value *file, *line, *column;
  operation what;
  memory_space space;
  llvm::Value* size_bytes;
};

class block_counters {
 public:
  using write = llvm::function_ref<void(llvm::IRBuilder<>& at, counted_site const& site, llvm::Value* executions)>;

  explicit block_counters(llvm::Function& function) : function_(&function) {}

  /// The site is executed as often as the instruction.
  void add(llvm::Instruction& instruction, counted_site const& site);

  /// Makes the counters, and has them written wherever the function ends. They become registers at once.
  void finish(write write_site);

 private:
  llvm::Function* function_;
  // A call in a block's middle that may end the thread or unwind parts it.
  llvm::MapVector<llvm::Instruction*, llvm::SmallVector<counted_site, 4>> sites_;  // [first instruction of a part]
};

}  // namespace pasta::plugin
#endif
