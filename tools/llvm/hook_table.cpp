// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "hook_table.hpp"

#include <llvm/IR/Constants.h>

#include "device_state.hpp"

namespace pasta::plugin {

namespace {

constexpr unsigned field_count = 8;

// The numbers and functions of a constant, whatever structs and arrays they are in.
void flatten(llvm::Constant* constant, llvm::SmallVectorImpl<llvm::Constant*>& into) {
  if (constant->getType()->isAggregateType()) {
    unsigned const count = constant->getType()->isStructTy()
                               ? constant->getType()->getStructNumElements()
                               : static_cast<unsigned>(constant->getType()->getArrayNumElements());
    for (unsigned i = 0; i < count; ++i) flatten(constant->getAggregateElement(i), into);
    return;
  }
  if (!llvm::isa<llvm::UndefValue>(constant)) into.push_back(constant);  // padding
}

bool read_run(llvm::ArrayRef<llvm::Constant*> fields, run_hooks& run) {
  auto const number = [&](unsigned i, std::uint32_t& into) {
    auto* const value = llvm::dyn_cast<llvm::ConstantInt>(fields[i]);
    if (value != nullptr) into = static_cast<std::uint32_t>(value->getZExtValue());
    return value != nullptr;
  };
  auto const function = [&](unsigned i, llvm::Function*& into) {
    into = llvm::dyn_cast<llvm::Function>(fields[i]->stripPointerCasts());
    return into != nullptr && !into->isDeclaration();
  };
  std::uint32_t version = 0;
  return number(0, version) && version == host_hooks_version && number(1, run.handled) && number(2, run.counted) &&
         function(3, run.access) && function(4, run.count) && function(5, run.branch) && function(6, run.call) &&
         function(7, run.add_kernel);
}

}  // namespace

hook_table read_hook_table(llvm::Module& module) {
  hook_table table;
  for (char const* const name : {"_ZL16pasta_llvm_hooks", "pasta_llvm_hooks"}) {
    if (table.variable == nullptr) table.variable = module.getNamedGlobal(name);
  }
  if (table.variable == nullptr) return table;
  if (!table.variable->hasInitializer()) {
    table.error = "pasta_llvm_hooks is no constant";
    return table;
  }
  llvm::SmallVector<llvm::Constant*, 32> fields;
  flatten(table.variable->getInitializer(), fields);
  for (std::size_t first = 0; first + field_count <= fields.size(); first += field_count) {
    run_hooks run;
    if (!read_run(llvm::ArrayRef<llvm::Constant*>(fields).slice(first, field_count), run)) {
      table.error = "the headers of PASTA are of another version than the pass plugin";
      table.runs.clear();
      return table;
    }
    table.runs.push_back(run);
  }
  return table;
}

void remove_hook_table(llvm::Module& module, hook_table const& table) { remove_variable(module, table.variable); }

}  // namespace pasta::plugin
