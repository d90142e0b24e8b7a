// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Puts tools' handlers and counters into the device code of an AMD GPU. docs/architecture.md says how.
#ifndef PASTA_TOOLS_LLVM_DEVICE_ROUTE_HPP
#define PASTA_TOOLS_LLVM_DEVICE_ROUTE_HPP

#include <llvm/IR/PassManager.h>

namespace pasta::plugin {

class device_route : public llvm::PassInfoMixin<device_route> {
 public:
  /// @param is_optimized whether the module was compiled with optimization
  explicit device_route(bool is_optimized) : is_optimized_(is_optimized) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  // LLVM's name.
  static bool isRequired() { return true; }  // NOLINT(readability-identifier-naming)

 private:
  bool is_optimized_;
};

}  // namespace pasta::plugin
#endif
