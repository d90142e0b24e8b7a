// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What differs between LLVM 15 and 19.
#ifndef PASTA_TOOLS_LLVM_COMPATIBILITY_HPP
#define PASTA_TOOLS_LLVM_COMPATIBILITY_HPP

#include <llvm/ADT/StringRef.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Attributes.h>
#if LLVM_VERSION_MAJOR >= 18
#include <llvm/IR/AttributeMask.h>
#endif
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Type.h>
#include <llvm/Transforms/Scalar/SROA.h>

namespace pasta::plugin {

inline bool begins_with(llvm::StringRef text, llvm::StringRef with) { return text.substr(0, with.size()) == with; }

inline llvm::PointerType* pointer_type(llvm::LLVMContext& context) { return llvm::PointerType::get(context, 0); }

/// Whether it is the address of a thread_local variable, where that is not the variable itself.
inline bool is_address_of_thread_local([[maybe_unused]] llvm::Value const* value) {
#if LLVM_VERSION_MAJOR >= 16
  auto const* const call = llvm::dyn_cast<llvm::IntrinsicInst>(value);
  return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::threadlocal_address;
#else
  return false;
#endif
}

inline llvm::SROAPass make_sroa() {
#if LLVM_VERSION_MAJOR >= 16
  return llvm::SROAPass(llvm::SROAOptions::ModifyCFG);
#else
  return {};
#endif
}

/// Types that make the intrinsic which reads the first lane's 32 bits.
inline llvm::SmallVector<llvm::Type*, 1> read_lane_types([[maybe_unused]] llvm::LLVMContext& context) {
#if LLVM_VERSION_MAJOR >= 19
  return {llvm::Type::getInt32Ty(context)};
#else
  return {};
#endif
}

/// What was inferred of a function, or said of a call, does not hold once it calls hooks: it writes memory, may wait,
/// and may be unwound.
inline llvm::AttributeMask inferred_of_functions() {
  llvm::AttributeMask mask;
  for (auto const kind : {llvm::Attribute::NoUnwind, llvm::Attribute::ReadNone, llvm::Attribute::ReadOnly,
                          llvm::Attribute::WriteOnly, llvm::Attribute::WillReturn, llvm::Attribute::NoSync,
                          llvm::Attribute::NoFree, llvm::Attribute::NoRecurse, llvm::Attribute::Speculatable}) {
    mask.addAttribute(kind);
  }
#if LLVM_VERSION_MAJOR >= 16
  mask.addAttribute(llvm::Attribute::Memory);
#else
  mask.addAttribute(llvm::Attribute::ArgMemOnly);
  mask.addAttribute(llvm::Attribute::InaccessibleMemOnly);
  mask.addAttribute(llvm::Attribute::InaccessibleMemOrArgMemOnly);
#endif
  return mask;
}
/// The same of a parameter: hooks get addresses.
inline llvm::AttributeMask inferred_of_parameters() {
  llvm::AttributeMask mask;
  for (auto const kind :
       {llvm::Attribute::ReadNone, llvm::Attribute::ReadOnly, llvm::Attribute::WriteOnly, llvm::Attribute::NoCapture}) {
    mask.addAttribute(kind);
  }
  return mask;
}

/// What was inferred of a function before tools came into it does not hold any more, for it and for its callers. Hooks
/// of GPUs call nothing: what does not call itself goes on so, and needs no stack for that.
inline void forget_what_was_inferred(llvm::Function& function) {
  llvm::AttributeMask const of_function = inferred_of_functions(), of_parameter = inferred_of_parameters();
  bool const does_not_recurse = function.doesNotRecurse();
  function.removeFnAttrs(of_function);
  if (does_not_recurse) function.setDoesNotRecurse();
  for (llvm::Argument& parameter : function.args()) parameter.removeAttrs(of_parameter);
  for (llvm::User* const user : function.users()) {
    auto* const call = llvm::dyn_cast<llvm::CallBase>(user);
    if (call == nullptr || call->getCalledFunction() != &function) continue;
    call->setAttributes(call->getAttributes().removeFnAttributes(call->getContext(), of_function));
    for (unsigned i = 0; i < call->arg_size(); ++i) call->removeParamAttrs(i, of_parameter);
  }
}

}  // namespace pasta::plugin
#endif
