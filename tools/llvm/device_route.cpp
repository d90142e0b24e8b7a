// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "device_route.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>

#include "cleanup.hpp"
#include "compatibility.hpp"
#include "device_function.hpp"
#include "device_state.hpp"
#include "device_tools.hpp"
#include "kernels.hpp"
#include "message.hpp"

namespace pasta::plugin {

namespace {

llvm::FunctionPassManager make_device_cleanup() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InferAddressSpacesPass());
  add_cleanup(passes);
  return passes;
}

llvm::SmallVector<llvm::Function*, 16> functions_of(llvm::Module& module, annotated_functions const& annotated) {
  llvm::SmallVector<llvm::Function*, 16> all;
  if (!is_amd(module)) {
    all = find_reached(annotated);
  } else {
    for (llvm::Function& function : module) {
      bool const is_here = !function.isDeclaration() && !function.hasAvailableExternallyLinkage();
      if (is_here && !is_of_probe(function)) all.push_back(&function);
    }
  }
  return all;
}

}  // namespace

llvm::PreservedAnalyses device_route::run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses) {
  llvm::GlobalVariable* const variable = find_tool_list(module);
  if (variable == nullptr) return llvm::PreservedAnalyses::all();
  std::string const list = llvm::cast<llvm::ConstantDataSequential>(variable->getInitializer())->getAsCString().str();
  remove_variable(module, variable);

  device_tools tools;
  annotated_functions annotated = find_annotated(module);
  llvm::erase_if(annotated.kernels, [](llvm::Function* each) { return is_of_probe(*each); });
  llvm::SmallVector<llvm::Function*, 16> const all = functions_of(module, annotated);
  bool const has_kernel = llvm::any_of(all, [&](llvm::Function* each) { return is_kernel(*each, annotated); });
  std::string const target = target_of(module);
  std::string const error = link_tools(module, list, tools);
  if (!error.empty()) {
    fail(module, "for " + target + ": " + error);
    return llvm::PreservedAnalyses::none();
  }

  auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  // Without optimization variables are in memory that would be in registers; where lanes are emulated, that is needed
  // to compile, but not wanted.
  if (!is_amd(module)) {
    llvm::FunctionPassManager registers;
    registers.addPass(make_sroa());
    for (llvm::Function* const each : all) {
      each->removeFnAttr(llvm::Attribute::OptimizeNone);
      functions.invalidate(*each, registers.run(*each, functions));
    }
  }
  device_state state(module, tools, annotated);
  std::vector<device_function> plans;
  for (llvm::Function* const each : all) {
    plans.emplace_back(*each, tools, is_kernel(*each, annotated)).plan(state);
  }
  state.place_rows();
  llvm::SmallVector<llvm::Function*, 16> changed = all;
  for (device_function& each : plans) each.instrument(state, changed);
  state.finish();
  remove_hooks(tools);
  // Lanes that are emulated come together by the order of the code: it stays.
  llvm::FunctionPassManager cleanup = is_amd(module) ? make_device_cleanup() : llvm::FunctionPassManager();
  for (llvm::Function* const each : changed) {
    functions.invalidate(*each, llvm::PreservedAnalyses::none());
    functions.invalidate(*each, cleanup.run(*each, functions));
  }
  // Functions of the device libraries never have lines.
  bool const has_lines = llvm::all_of(
      all, [&](llvm::Function* each) { return !is_kernel(*each, annotated) || each->getSubprogram() != nullptr; });
  if (has_kernel && !has_lines)
    warn(module,
         "for " + target +
             ": no debug information: reports name functions, not lines; compile with -g or -gline-tables-only");
  if (has_kernel && !is_optimized_ && is_amd(module))
    warn(module, "for " + target + ": compiled with -O0: an optimized program makes fewer accesses");
  return llvm::PreservedAnalyses::none();
}

}  // namespace pasta::plugin
