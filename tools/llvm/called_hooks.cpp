// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "called_hooks.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include <string>

#include "compatibility.hpp"

namespace pasta::plugin {

namespace {

// What is compiled for its caller's GPU, and is called.
void compile_for(llvm::Function& function, llvm::Function const& caller) {
  function.removeFnAttr(llvm::Attribute::AlwaysInline);
  function.addFnAttr(llvm::Attribute::NoInline);
  function.setDoesNotRecurse();  // else a stack is kept for it
  for (char const* const name : {"target-cpu", "target-features"}) {
    if (caller.hasFnAttribute(name)) function.addFnAttr(caller.getFnAttribute(name));
  }
}

// The arguments of the event, of a hook that gets rows: a site's are its number and two addresses, a function's two.
unsigned count_event_arguments(hook_call const& of) { return of.call->arg_size() - 1 - (of.site_row >= 0 ? 5u : 2u); }

bool is_constant(llvm::Value const* value) { return llvm::isa<llvm::ConstantInt>(value); }

std::string name_of(hook_call const& of) {
  std::string name = of.call->getCalledFunction()->getName().str() + ".called";
  for (unsigned i = 0; i < count_event_arguments(of); ++i) {
    auto const* const constant = llvm::dyn_cast<llvm::ConstantInt>(of.call->getArgOperand(i));
    name += constant == nullptr ? ".x" : "." + std::to_string(constant->getZExtValue());
  }
  return name;
}

// As it is called: what of the event is no constant, the rows' numbers, the memory, the thread's state.
llvm::SmallVector<llvm::Value*, 12> arguments_of(hook_call const& of, llvm::Value* shard, llvm::Value* shared) {
  llvm::Type* const word = llvm::Type::getInt32Ty(of.call->getContext());
  llvm::SmallVector<llvm::Value*, 12> arguments;
  for (unsigned i = 0; i < count_event_arguments(of); ++i) {
    if (!is_constant(of.call->getArgOperand(i))) arguments.push_back(of.call->getArgOperand(i));
  }
  if (of.site_row >= 0) arguments.push_back(llvm::ConstantInt::get(word, static_cast<std::uint64_t>(of.site_row)));
  arguments.push_back(llvm::ConstantInt::get(word, static_cast<std::uint64_t>(of.function_row)));
  arguments.append({shard, shared, of.call->getArgOperand(of.call->arg_size() - 1)});
  return arguments;
}

void make_body(llvm::Function& made, hook_call const& of) {
  llvm::IRBuilder<> at(llvm::BasicBlock::Create(made.getContext(), "", &made));
  llvm::Argument* next = made.arg_begin();
  llvm::SmallVector<llvm::Value*, 12> arguments;
  for (unsigned i = 0; i < count_event_arguments(of); ++i) {
    llvm::Value* const given = of.call->getArgOperand(i);
    arguments.push_back(is_constant(given) ? given : next++);
  }
  llvm::Value* const site = of.site_row >= 0 ? as_scalar(at, next++) : nullptr;
  llvm::Value* const function = as_scalar(at, next++);
  llvm::Value* const shard = as_scalar(at, next++);
  llvm::Value* const shared = as_scalar(at, next++);
  auto const add_row = [&](llvm::Value* base, std::uint64_t rows, std::uint32_t row_bytes, llvm::Value* number) {
    llvm::Value* const offset = at.CreateMul(at.CreateZExt(number, at.getInt64Ty()), at.getInt64(row_bytes));
    arguments.push_back(at.CreateGEP(at.getInt8Ty(), base, at.CreateAdd(offset, at.getInt64(rows))));
  };
  device_state::tool_area const& area = *of.area;
  if (site != nullptr) {
    arguments.push_back(site);
    add_row(shard, area.shard_sites, area.site_shard_bytes, site);
    add_row(shared, area.shared_sites, area.site_shared_bytes, site);
  }
  add_row(shard, area.shard_functions, area.function_shard_bytes, function);
  add_row(shared, area.shared_functions, area.function_shared_bytes, function);
  arguments.push_back(next);
  llvm::CallInst* const call = at.CreateCall(of.call->getCalledFunction(), arguments);
  at.CreateRetVoid();
  llvm::InlineFunctionInfo information;
  llvm::InlineFunction(*call, information);
}

llvm::Function* make_function(hook_call const& of, std::string const& name, llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::Module& module = *of.call->getModule();
  llvm::LLVMContext& context = module.getContext();
  llvm::SmallVector<llvm::Type*, 12> types;
  for (llvm::Value const* const each : arguments) types.push_back(each->getType());
  auto* const type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
  llvm::Function* const made = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  llvm::AttributeSet const of_hook = of.call->getCalledFunction()->getAttributes().getFnAttrs();
  made->setAttributes(llvm::AttributeList().addFnAttributes(context, llvm::AttrBuilder(context, of_hook)));
  made->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  make_body(*made, of);
  return made;
}

}  // namespace

llvm::Value* as_scalar(llvm::IRBuilder<>& at, llvm::Value* value) {
  if (!is_amd(*at.GetInsertBlock()->getModule())) return value;
  auto const read_first = [&](llvm::Value* word) {
    return at.CreateIntrinsic(llvm::Intrinsic::amdgcn_readfirstlane, read_lane_types(at.getContext()), {word});
  };
  llvm::Type *const half = at.getInt32Ty(), *const wide = at.getInt64Ty();
  if (value->getType() == half) return read_first(value);
  llvm::Value* const word = at.CreatePtrToInt(value, wide);
  llvm::Value* const high = at.CreateZExt(read_first(at.CreateTrunc(at.CreateLShr(word, 32), half)), wide);
  llvm::Value* const low = at.CreateZExt(read_first(at.CreateTrunc(word, half)), wide);
  return at.CreateIntToPtr(at.CreateOr(at.CreateShl(high, 32), low), value->getType());
}

llvm::Function* call_by_numbers(hook_call const& of, llvm::Value* shard, llvm::Value* shared,
                                llvm::Function const& caller) {
  if (of.area == nullptr) {
    compile_for(*of.call->getCalledFunction(), caller);
    return nullptr;
  }
  llvm::SmallVector<llvm::Value*, 12> const arguments = arguments_of(of, shard, shared);
  std::string const name = name_of(of);
  llvm::Function* const known = of.call->getModule()->getFunction(name);
  llvm::Function* const callee = known != nullptr ? known : make_function(of, name, arguments);
  compile_for(*callee, caller);
  llvm::IRBuilder<>(of.call).CreateCall(callee, arguments);
  llvm::SmallVector<llvm::Value*, 12> const before(of.call->args());
  of.call->eraseFromParent();
  for (llvm::Value* const each : before) llvm::RecursivelyDeleteTriviallyDeadInstructions(each);
  return known == nullptr ? callee : nullptr;
}

}  // namespace pasta::plugin
