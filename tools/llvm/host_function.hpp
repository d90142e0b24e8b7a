// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_LLVM_HOST_FUNCTION_HPP
#define PASTA_TOOLS_LLVM_HOST_FUNCTION_HPP

#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>

#include "hook_table.hpp"
#include "kernels.hpp"
#include "sites.hpp"

namespace pasta::plugin {

/// Texts in the module, each once.
class module_texts {
 public:
  explicit module_texts(llvm::Module& module) : module_(&module) {}
  llvm::Constant* get(std::string const& text);

 private:
  llvm::Module* module_;
  llvm::StringMap<llvm::Constant*> known_;
};

/// What is instrumented for one run's tools.
struct host_copies {
  run_hooks const* run;
  annotated_functions const* annotated;
  function_copies const* functions;
  module_texts* texts;
};

/// Puts calls of hooks before what the run's tools handle, and counters into blocks for what they count.
/// @return whether all places are known
bool instrument_host_function(llvm::Function& original, llvm::Function& copy, host_copies const& all);

/// Puts the hooks' bodies in place of calls.
void inline_hooks(llvm::Function& function, run_hooks const& run);

}  // namespace pasta::plugin
#endif
