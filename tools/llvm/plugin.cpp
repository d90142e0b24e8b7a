// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What clang loads: -fpass-plugin=libpasta_llvm_19.so.
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include "device_route.hpp"
#include "host_route.hpp"

namespace {

void register_passes(llvm::PassBuilder& builder) {
  // Behind inlining and simplification, and before vectorisation, which is of the CPU and not of the kernel. Without
  // optimization the first of the two is not called.
  builder.registerOptimizerEarlyEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
    if (level != llvm::OptimizationLevel::O0) passes.addPass(pasta::plugin::host_route(true));
  });
  // Device code is counted as it is executed.
  builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
    passes.addPass(pasta::plugin::device_route(level != llvm::OptimizationLevel::O0));
    if (level == llvm::OptimizationLevel::O0) passes.addPass(pasta::plugin::host_route(false));
  });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "pasta", "0.1.0", register_passes};
}
