// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "host_route.hpp"

#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "cleanup.hpp"
#include "compatibility.hpp"
#include "host_function.hpp"
#include "kernels.hpp"
#include "message.hpp"

namespace pasta::plugin {

namespace {

// Tells the program, before main, which function stands for which kernel.
class registration {
 public:
  explicit registration(llvm::Module& module) : module_(&module) {}

  void add(run_hooks const& run, llvm::Function* original, llvm::Function* copy) {
    if (function_ == nullptr) begin();
    llvm::IRBuilder<> at(function_->getEntryBlock().getTerminator());
    at.CreateCall(run.add_kernel, {original, copy, texts_.get(original->getName().str())});
  }

 private:
  void begin() {
    llvm::LLVMContext& context = module_->getContext();
    function_ = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                                       llvm::GlobalValue::InternalLinkage, "pasta.add_kernels", module_);
    llvm::ReturnInst::Create(context, llvm::BasicBlock::Create(context, "", function_));
    llvm::appendToGlobalCtors(*module_, function_, 65535);
  }

  llvm::Module* module_;
  module_texts texts_{*module_};
  llvm::Function* function_ = nullptr;
};

}  // namespace

llvm::PreservedAnalyses host_route::run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
  hook_table const table = read_hook_table(module);
  if (table.variable == nullptr) return llvm::PreservedAnalyses::all();
  if (!table.error.empty()) fail(module, table.error);
  annotated_functions const annotated = find_annotated(module);
  auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  llvm::FunctionPassManager cleanup;
  add_cleanup(cleanup);
  module_texts texts(module);
  registration kernels(module);
  bool has_lines = true;
  for (std::size_t i = 0; i < table.runs.size(); ++i) {
    run_hooks const& run = table.runs[i];
    function_copies const copies = copy_kernels(annotated, ".pasta." + std::to_string(i));
    // Without optimization variables are in memory that would be in registers.
    if (!is_optimized_) {
      for (auto const& [original, copy] : copies) {
        copy->removeFnAttr(llvm::Attribute::OptimizeNone);
        functions.invalidate(*copy, cleanup.run(*copy, functions));
      }
    }
    host_copies const all{&run, &annotated, &copies, &texts};
    for (auto const& [original, copy] : copies) {
      has_lines = instrument_host_function(*original, *copy, all) && has_lines;
      if (llvm::is_contained(annotated.kernels, original)) kernels.add(run, original, copy);
    }
    for (auto const& [original, copy] : copies) {
      inline_hooks(*copy, run);
      functions.invalidate(*copy, llvm::PreservedAnalyses::none());
      functions.invalidate(*copy, cleanup.run(*copy, functions));
    }
  }
  if (!annotated.kernels.empty() && !has_lines)
    warn(module, "no debug information: reports name functions, not lines; compile with -g or -gline-tables-only");
  if (!annotated.kernels.empty() && !is_optimized_)
    warn(module, "compiled with -O0: an optimized program makes fewer accesses");
  remove_hook_table(module, table);
  return llvm::PreservedAnalyses::none();
}

}  // namespace pasta::plugin
