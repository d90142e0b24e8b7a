// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What clang loads: -fpass-plugin=libpasta_llvm_19.so.
#include <dlfcn.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include <cstdio>

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

namespace {

// The major version of the LLVM in this process; 0: it does not tell. Nothing of LLVM may be called before it is known.
unsigned version_of_compiler() {
  if (void* const symbol = ::dlsym(RTLD_DEFAULT, "LLVMGetVersion")) {  // since 16
    unsigned major = 0;
    reinterpret_cast<void (*)(unsigned*, unsigned*, unsigned*)>(symbol)(&major, nullptr, nullptr);
    return major;
  }
  for (unsigned const version : {15u, 14u, 13u}) {
    char name[16];
    std::snprintf(name, sizeof name, "LLVM_%u", version);
    if (::dlvsym(RTLD_DEFAULT, "LLVMContextCreate", name) != nullptr) return version;
  }
  return 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  unsigned const version = version_of_compiler();
  if (version == 0 || version == LLVM_VERSION_MAJOR)
    return {LLVM_PLUGIN_API_VERSION, "pasta", "0.1.0", register_passes};
  std::fprintf(stderr,
               "pasta: this pass plugin is for LLVM %d, and the compiler is of LLVM %u: use libpasta_llvm_%u.so\n",
               LLVM_VERSION_MAJOR, version, version);
  return {0, "pasta", "0.1.0", nullptr};  // which the compiler refuses
}
