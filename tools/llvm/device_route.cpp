// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "device_route.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "compatibility.hpp"
#include "device_function.hpp"
#include "device_state.hpp"
#include "hook_table.hpp"
#include "message.hpp"

namespace pasta::plugin {

namespace {

bool is_amd(llvm::Module const& module) { return begins_with(module.getTargetTriple(), "amdgcn"); }

/// What `pasta hipcc` includes before each source: `__device__ char const pasta_device_tools[] = "access_count 1"`: the
/// tools, parted by commas, and which events they count.
struct device_tools {
  llvm::GlobalVariable* variable = nullptr;
  llvm::SmallVector<std::string, 4> names;
  std::uint32_t counted = 0;
};

device_tools read_tools(llvm::Module& module) {
  device_tools tools;
  tools.variable = module.getNamedGlobal("pasta_device_tools");
  if (tools.variable == nullptr || !tools.variable->hasInitializer()) return tools;
  auto const* const text = llvm::dyn_cast<llvm::ConstantDataSequential>(tools.variable->getInitializer());
  if (text == nullptr || !text->isCString()) return tools;
  auto const [names, bits] = text->getAsCString().split(' ');
  llvm::SmallVector<llvm::StringRef, 4> parts;
  names.split(parts, ',', -1, false);
  for (llvm::StringRef const part : parts) tools.names.push_back(part.str());
  static_cast<void>(bits.getAsInteger(10, tools.counted));
  return tools;
}

}  // namespace

llvm::PreservedAnalyses device_route::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (!is_amd(module)) return llvm::PreservedAnalyses::all();
  device_tools const tools = read_tools(module);
  if (tools.variable == nullptr) return llvm::PreservedAnalyses::all();
  remove_variable(module, tools.variable);
  if (tools.names.empty()) return llvm::PreservedAnalyses::none();

  device_state state(module, {tools.names.begin(), tools.names.end()});
  bool has_kernel = false, has_lines = true;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage()) continue;
    // Functions of the device libraries never have any.
    bool const is_kernel = function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL;
    has_kernel = has_kernel || is_kernel;
    has_lines = has_lines && (!is_kernel || function.getSubprogram() != nullptr);
    count_in_function(function, tools.counted, state);
  }
  state.finish();
  std::string const target = target_of(module);
  if (has_kernel && !has_lines)
    warn(module,
         "for " + target +
             ": no debug information: reports name functions, not lines; compile with -g or -gline-tables-only");
  if (has_kernel && !is_optimized_)
    warn(module, "for " + target + ": compiled with -O0: an optimized program makes fewer accesses");
  return llvm::PreservedAnalyses::none();
}

}  // namespace pasta::plugin
