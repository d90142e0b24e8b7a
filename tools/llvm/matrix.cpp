// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InstrTypes.h>

#include "compatibility.hpp"

namespace pasta::plugin {

namespace {

// PTX's word for an element type, or an empty one.
llvm::StringRef type_of(llvm::StringRef word) {
  for (llvm::StringRef const same : {"f64", "f32", "f16", "bf16"}) {
    if (word == same) return same;
  }
  if (word == "xf32") return "tf32";
  if (word == "i8") return "s8";
  if (word == "i32") return "s32";
  if (word == "fp8") return "e4m3";
  if (word == "bf8") return "e5m2";
  if (word == "iu8") return "u8";  // the operands tell whether it is signed
  if (word == "iu4") return "u4";
  if (word == "f8f6f4") return "f8f6f4";  // and which of these
  return "";
}

bool take_number(llvm::StringRef& text, std::uint32_t& number) { return !text.consumeInteger(10, number); }

// `16x16x32`, and what stands behind it as `f16` in `16x16x16f16`.
bool read_shape(llvm::StringRef text, matrix_product& into, llvm::StringRef& rest) {
  if (!take_number(text, into.m) || !text.consume_front("x") || !take_number(text, into.n) ||
      !text.consume_front("x") || !take_number(text, into.k))
    return false;
  rest = text;
  return into.m != 0 && into.n != 0 && into.k != 0;
}

// `mfma.f32.16x16x16f16`, `mfma.f32.32x32x8bf16.1k`, `smfmac.f32.16x16x64.bf8.fp8`,
// `wmma.i32.16x16x16.iu8.v8i32.v4i32`: what comes behind the types is LLVM's.
std::optional<matrix_product> read_name(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  name.split(parts, '.');
  std::size_t at = 1;
  matrix_product made;
  made.is_sparse = parts[0] == "smfmac" || parts[0] == "swmmac";
  if (!made.is_sparse && parts[0] != "mfma" && parts[0] != "wmma") return std::nullopt;
  if (parts.size() > at && parts[at] == "scale") ++at;
  if (parts.size() < at + 2) return std::nullopt;
  made.d = type_of(parts[at]).str();
  llvm::StringRef joined;
  if (made.d.empty() || !read_shape(parts[at + 1], made, joined)) return std::nullopt;
  at += 2;
  if (!joined.empty()) {
    made.a = made.b = type_of(joined).str();
  } else if (at < parts.size()) {
    made.a = made.b = type_of(parts[at]).str();
    if (at + 1 < parts.size() && (parts[at + 1] == "fp8" || parts[at + 1] == "bf8"))
      made.b = type_of(parts[at + 1]).str();
  }
  if (made.a.empty()) return std::nullopt;
  return made;
}

bool is_true(llvm::Value const* value) {
  auto const* const number = llvm::dyn_cast<llvm::ConstantInt>(value);
  return number != nullptr && number->isOne();
}

}  // namespace

std::optional<matrix_product> product_of(llvm::Instruction const& instruction) {
  auto const* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  llvm::Function const* const callee = call == nullptr ? nullptr : call->getCalledFunction();
  if (callee == nullptr || !callee->isIntrinsic()) return std::nullopt;
  llvm::StringRef name = callee->getName();
  if (!name.consume_front("llvm.amdgcn.")) return std::nullopt;
  std::optional<matrix_product> made = read_name(name);
  if (!made) return std::nullopt;
  if (begins_with(name, "mfma")) {
    // D is spread over the 64 lanes of a wave.
    auto const* const vector = llvm::dyn_cast<llvm::FixedVectorType>(call->getType());
    std::uint32_t const elements = 64 * (vector == nullptr ? 1 : vector->getNumElements());
    if (elements > made->m * made->n) made->products = elements / (made->m * made->n);
  }
  // Integers: sign of A, A, sign of B, B, ...
  if ((made->a == "u8" || made->a == "u4") && call->arg_size() >= 4) {
    if (is_true(call->getArgOperand(0))) made->a[0] = 's';
    if (is_true(call->getArgOperand(2))) made->b[0] = 's';
  }
  return made;
}

}  // namespace pasta::plugin
