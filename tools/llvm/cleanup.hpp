// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_LLVM_CLEANUP_HPP
#define PASTA_TOOLS_LLVM_CLEANUP_HPP

#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "compatibility.hpp"

namespace pasta::plugin {

/// What is run behind inlined hooks: what their arguments rule out vanishes, and threads' states become registers.
inline void add_cleanup(llvm::FunctionPassManager& to) {
  to.addPass(make_sroa());
  to.addPass(llvm::EarlyCSEPass(true));
  to.addPass(llvm::InstCombinePass());
  to.addPass(llvm::SimplifyCFGPass());
}

}  // namespace pasta::plugin
#endif
