// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A pass plugin that prints the product of each call of an intrinsic: `llvm.amdgcn.mfma.f32.32x32x8f16 32x32x8
/// f16*f16+f32`.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include <cstdio>

#include "matrix.hpp"

namespace {

struct print_products : llvm::PassInfoMixin<print_products> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    for (llvm::Function& function : module) {
      for (llvm::Instruction& instruction : llvm::instructions(function)) {
        auto const made = pasta::plugin::product_of(instruction);
        auto const* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call == nullptr) {
          if (made) std::printf("%s is a product\n", instruction.getOpcodeName());
          continue;
        }
        llvm::Function const* const callee = call->getCalledFunction();
        std::printf("%s", callee == nullptr ? "indirect" : callee->getName().str().c_str());
        if (made) {
          std::printf(" %ux%ux%u", made->m, made->n, made->k);
          if (made->products != 1) std::printf(" times %u", made->products);
          std::printf(" %s*%s+%s%s", made->a.c_str(), made->b.c_str(), made->d.c_str(),
                      made->is_sparse ? " sparse" : "");
        }
        std::printf("\n");
      }
    }
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "print_products", "0", [](llvm::PassBuilder& builder) {
            builder.registerPipelineParsingCallback([](llvm::StringRef name, llvm::ModulePassManager& passes,
                                                       llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
              if (name != "print-products") return false;
              passes.addPass(print_products());
              return true;
            });
          }};
}
