// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "host_function.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "block_counters.hpp"

namespace pasta::plugin {

namespace {

class host_function {
 public:
  host_function(llvm::Function& original, llvm::Function& copy, host_copies const& all)
      : function_(&copy),
        run_(all.run),
        all_(&all),
        is_kernel_(llvm::is_contained(all.annotated->kernels, &original)),
        counters_(copy) {}

  bool instrument() {
    llvm::SmallVector<llvm::Instruction*, 64> all;
    for (llvm::Instruction& instruction : llvm::instructions(*function_)) all.push_back(&instruction);
    for (llvm::Instruction* const instruction : all) instrument(*instruction);
    counters_.finish([&](llvm::IRBuilder<>& at, llvm::ArrayRef<llvm::Value*> executions) {
      for (counted_site const& site : counted_) {
        at.CreateCall(run_->count,
                      {site.file, site.line, site.column, number(static_cast<std::uint32_t>(site.what)),
                       number(static_cast<std::uint32_t>(site.space)), site.size_bytes, executions[site.counter]});
      }
    });
    return has_places_;
  }

 private:
  void instrument(llvm::Instruction& instruction) {
    if (run_->sees(memory_access_bit)) {
      for (access const& one : accesses_of(instruction)) add_access(instruction, one);
    }
    if (auto* const jump = llvm::dyn_cast<llvm::BranchInst>(&instruction); jump != nullptr && jump->isConditional()) {
      if (run_->handles(branch_bit)) {
        call(instruction, run_->branch, {jump->getCondition()});
      } else if (run_->sees(branch_bit)) {
        add_count(instruction, operation::branch);
      }
    }
    if (auto* const made = llvm::dyn_cast<llvm::CallBase>(&instruction)) add_call(*made);
  }

  void add_access(llvm::Instruction& instruction, access const& one) {
    memory_space const space = host_space_of(one.address, is_kernel_);
    bool const is_constant = space != memory_space::unknown && llvm::isa<llvm::ConstantInt>(one.size_bytes);
    if (is_constant && !run_->handles(memory_access_bit))
      return add_count(instruction, one.what, space, one.size_bytes);
    llvm::IRBuilder<> at(&instruction);
    llvm::Value* const size = at.CreateZExtOrTrunc(one.size_bytes, at.getInt64Ty());
    call(instruction, run_->access,
         {number(static_cast<std::uint32_t>(one.what)), number(static_cast<std::uint32_t>(space)), one.address, size});
  }

  void add_call(llvm::CallBase& made) {
    if (!run_->sees(call_bit) || llvm::isa<llvm::IntrinsicInst>(made) || made.isInlineAsm()) return;
    llvm::Function const* const callee = made.getCalledFunction();
    if (callee != nullptr && is_own(*callee, *all_->annotated)) return;
    if (run_->handles(call_bit)) return call(made, run_->call, {original_of(made.getCalledOperand())});
    add_count(made, operation::call);
  }

  llvm::Value* original_of(llvm::Value* callee) const {
    for (auto const& [original, copy] : *all_->functions) {
      if (copy == callee) return original;
    }
    return callee;
  }

  void add_count(llvm::Instruction& instruction, operation what, memory_space space = memory_space::global,
                 llvm::Value* size_bytes = nullptr) {
    auto const [file, line, column] = place(instruction);
    if (size_bytes == nullptr) size_bytes = llvm::ConstantInt::get(llvm::Type::getInt64Ty(context()), 0);
    counted_.push_back({file, line, column, what, space, size_bytes, counters_.add(instruction)});
  }

  struct counted_site {
    llvm::Value *file, *line, *column;
    operation what;
    memory_space space;
    llvm::Value* size_bytes;
    unsigned counter;
  };
  struct place_values {
    llvm::Value *file, *line, *column;
  };
  place_values place(llvm::Instruction const& instruction) {
    source_place const where = place_of(instruction);
    if (where.line == 0 && instruction.getDebugLoc().get() == nullptr && function_->getSubprogram() == nullptr)
      has_places_ = false;
    return {all_->texts->get(where.file), number(where.line), number(where.column)};
  }

  void call(llvm::Instruction& before, llvm::Function* hook, llvm::ArrayRef<llvm::Value*> rest) {
    auto const [file, line, column] = place(before);
    llvm::SmallVector<llvm::Value*, 8> arguments{file, line, column};
    arguments.append(rest.begin(), rest.end());
    llvm::IRBuilder<> at(&before);
    // An inlined body needs a place in a function that has debug information.
    if (!before.getDebugLoc() && function_->getSubprogram() != nullptr)
      at.SetCurrentDebugLocation(llvm::DILocation::get(context(), 0, 0, function_->getSubprogram()));
    for (auto const& [argument, parameter] : llvm::zip(arguments, hook->getFunctionType()->params()))
      if (argument->getType()->isIntegerTy()) argument = at.CreateZExtOrTrunc(argument, parameter);
    at.CreateCall(hook, arguments);
  }

  llvm::LLVMContext& context() const { return function_->getContext(); }
  llvm::Value* number(std::uint32_t value) const {
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context()), value);
  }

  llvm::Function* function_;
  run_hooks const* run_;
  host_copies const* all_;
  bool is_kernel_;
  block_counters counters_;
  llvm::SmallVector<counted_site, 16> counted_;
  bool has_places_ = true;
};

}  // namespace

llvm::Constant* module_texts::get(std::string const& text) {
  llvm::Constant*& known = known_[text];
  if (known == nullptr) {
    llvm::Constant* const bytes = llvm::ConstantDataArray::getString(module_->getContext(), text);
    auto* const variable = new llvm::GlobalVariable(*module_, bytes->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                                    bytes, "pasta.text");
    variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    known = variable;
  }
  return known;
}

bool instrument_host_function(llvm::Function& original, llvm::Function& copy, host_copies const& all) {
  return host_function(original, copy, all).instrument();
}

void inline_hooks(llvm::Function& function, run_hooks const& run) {
  llvm::SmallVector<llvm::CallBase*, 64> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    llvm::Function const* const callee = call != nullptr ? call->getCalledFunction() : nullptr;
    bool const is_hook = callee != nullptr &&
                         (callee == run.access || callee == run.count || callee == run.branch || callee == run.call);
    if (is_hook) calls.push_back(call);
  }
  for (llvm::CallBase* const call : calls) {
    llvm::InlineFunctionInfo information;
    llvm::InlineFunction(*call, information);
  }
}

}  // namespace pasta::plugin
