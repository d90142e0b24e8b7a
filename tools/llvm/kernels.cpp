// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compatibility.hpp"

namespace pasta::plugin {

namespace {

// A kernel on a probe tells its accesses itself.
bool has_probe(llvm::StringRef name) {
  return name.find("5pasta8no_probe") != llvm::StringRef::npos || name.find("5pasta5probeI") != llvm::StringRef::npos;
}

llvm::Function* copy_function(llvm::Function& original, std::string const& suffix) {
  llvm::ValueToValueMapTy values;
  llvm::Function* const copy = llvm::CloneFunction(&original, values);
  copy->setName(original.getName() + suffix);
  copy->setLinkage(llvm::GlobalValue::InternalLinkage);
  copy->setVisibility(llvm::GlobalValue::DefaultVisibility);
  copy->setComdat(nullptr);
  copy->setDSOLocal(true);
  copy->removeFnAttrs(inferred_of_functions());
  llvm::AttributeMask const mask = inferred_of_parameters();
  for (llvm::Argument& parameter : copy->args()) parameter.removeAttrs(mask);
  return copy;
}

}  // namespace

annotated_functions find_annotated(llvm::Module& module) {
  annotated_functions found;
  llvm::GlobalVariable const* const table = module.getNamedGlobal("llvm.global.annotations");
  if (table == nullptr || !table->hasInitializer()) return found;
  auto const* const entries = llvm::dyn_cast<llvm::ConstantArray>(table->getInitializer());
  if (entries == nullptr) return found;
  for (llvm::Use const& use : entries->operands()) {
    auto const* const entry = llvm::dyn_cast<llvm::ConstantStruct>(use.get());
    if (entry == nullptr || entry->getNumOperands() < 2) continue;
    auto* const function = llvm::dyn_cast<llvm::Function>(entry->getOperand(0)->stripPointerCasts());
    auto const* const text = llvm::dyn_cast<llvm::GlobalVariable>(entry->getOperand(1)->stripPointerCasts());
    if (function == nullptr || text == nullptr || !text->hasInitializer()) continue;
    auto const* const words = llvm::dyn_cast<llvm::ConstantDataSequential>(text->getInitializer());
    if (words == nullptr || !words->isCString()) continue;
    if (words->getAsCString() == "pasta.runtime") found.own_calls.insert(function);
    if (words->getAsCString() == "pasta.barrier") found.barriers.insert(function);
    if (words->getAsCString() == "pasta.atomic") found.atomics.insert(function);
    bool const is_here = !function->isDeclaration() && !function->hasAvailableExternallyLinkage();
    if (words->getAsCString() == "pasta.kernel" && is_here && !has_probe(function->getName()))
      found.kernels.push_back(function);
  }
  return found;
}

bool is_of_probe(llvm::Function const& function) {
  return begins_with(function.getName(), "_ZN5pasta6detail10run_probed") ||
         begins_with(function.getName(), "_ZN5pasta6detail9copy_text");
}

bool is_own(llvm::Function const& function, annotated_functions const& annotated) {
  return begins_with(function.getName(), "_ZN5pasta") || begins_with(function.getName(), "_ZNK5pasta") ||
         begins_with(function.getName(), "_ZN13hip_emulation") ||  // the CPU's stand-in for a GPU
         annotated.own_calls.contains(&const_cast<llvm::Function&>(function));
}

bool is_kernel(llvm::Function const& function, annotated_functions const& annotated) {
  return function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL ||
         llvm::is_contained(annotated.kernels, &function);
}

llvm::SmallVector<llvm::Function*, 16> find_reached(annotated_functions const& annotated) {
  llvm::SmallSetVector<llvm::Function*, 16> reached(annotated.kernels.begin(), annotated.kernels.end());
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (llvm::Instruction& instruction : llvm::instructions(*reached[i])) {
      auto const* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      llvm::Function* const callee = call != nullptr ? call->getCalledFunction() : nullptr;
      if (callee != nullptr && !callee->isDeclaration() && !is_own(*callee, annotated)) reached.insert(callee);
    }
  }
  return {reached.begin(), reached.end()};
}

function_copies copy_kernels(annotated_functions const& annotated, std::string const& suffix) {
  function_copies copies;
  llvm::SmallVector<llvm::Function*, 16> left(annotated.kernels.rbegin(), annotated.kernels.rend());
  while (!left.empty()) {
    llvm::Function* const original = left.pop_back_val();
    if (copies.count(original) != 0) continue;
    llvm::Function* const copy = copy_function(*original, suffix);
    copies[original] = copy;
    for (llvm::Instruction& instruction : llvm::instructions(*copy)) {
      auto const* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      llvm::Function* const callee = call != nullptr ? call->getCalledFunction() : nullptr;
      if (callee == nullptr || callee->isDeclaration() || is_own(*callee, annotated)) continue;
      left.push_back(callee);
    }
  }
  llvm::AttributeMask const of_function = inferred_of_functions(), of_parameter = inferred_of_parameters();
  for (auto const& [original, copy] : copies) {
    for (llvm::Instruction& instruction : llvm::instructions(*copy)) {
      auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      auto const known = call != nullptr ? copies.find(call->getCalledFunction()) : copies.end();
      if (known == copies.end()) continue;
      call->setCalledFunction(known->second);
      call->setAttributes(call->getAttributes().removeFnAttributes(call->getContext(), of_function));
      for (unsigned i = 0; i < call->arg_size(); ++i) call->removeParamAttrs(i, of_parameter);
      if (auto* const plain = llvm::dyn_cast<llvm::CallInst>(call)) plain->setTailCallKind(llvm::CallInst::TCK_None);
    }
  }
  return copies;
}

}  // namespace pasta::plugin
