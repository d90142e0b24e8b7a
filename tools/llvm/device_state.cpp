// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "device_state.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/Support/MD5.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace pasta::plugin {

namespace {

constexpr unsigned global_space = 1;
constexpr unsigned counter_bytes = 8, shard_alignment = 128;

// Objects of the same text share what is theirs when they are linked; the HIP runtime finds the variables by name.
llvm::GlobalVariable* make_variable(llvm::Module& module, llvm::Constant* value, bool is_constant,
                                    std::string const& name) {
  auto* const made = new llvm::GlobalVariable(module, value->getType(), is_constant, llvm::GlobalValue::WeakODRLinkage,
                                              value, name, nullptr, llvm::GlobalValue::NotThreadLocal, global_space);
  made->setVisibility(llvm::GlobalValue::ProtectedVisibility);
  made->setAlignment(llvm::Align(16));
  return made;
}

}  // namespace

std::string target_of(llvm::Module const& module) {
  for (llvm::Function const& function : module) {
    if (function.hasFnAttribute("target-cpu")) return function.getFnAttribute("target-cpu").getValueAsString().str();
  }
  return "";
}

void remove_variable(llvm::Module& module, llvm::GlobalVariable* variable) {
  for (bool const is_of_compiler : {false, true}) {
    llvm::SmallVector<llvm::GlobalValue*, 16> used, kept;
    llvm::GlobalVariable* const list = llvm::collectUsedGlobalVariables(module, used, is_of_compiler);
    for (llvm::GlobalValue* const value : used) {
      if (value != variable) kept.push_back(value);
    }
    if (kept.size() == used.size()) continue;
    list->eraseFromParent();
    if (!kept.empty()) is_of_compiler ? llvm::appendToCompilerUsed(module, kept) : llvm::appendToUsed(module, kept);
  }
  variable->removeDeadConstantUsers();
  if (variable->use_empty()) variable->eraseFromParent();
}

device_state::device_state(llvm::Module& module, std::vector<std::string> tools)
    : module_(&module), tools_(std::move(tools)) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* const word = llvm::Type::getInt64Ty(context);
  llvm::Type* const half = llvm::Type::getInt32Ty(context);
  llvm::Type* const pointer = llvm::PointerType::get(context, global_space);
  type_ = llvm::StructType::get(context, {pointer, half, half, word, pointer, word, word});  // a module_state
  variable_ = make_variable(module, llvm::ConstantAggregateZero::get(type_), false, "pasta_state");
  variable_->setExternallyInitialized(true);
}

unsigned device_state::take_counters(unsigned count) {
  unsigned const first = counters_;
  counters_ += count;
  return first;
}

llvm::json::Value device_state::add_places(std::vector<inlined_place> const& places) {
  llvm::json::Value caller = nullptr;
  std::int64_t number = -1;
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    auto const [known, is_new] = known_places_.try_emplace(
        {place->at.file, place->at.line, place->at.column, place->function, number}, places_.size());
    if (is_new) {
      places_.push_back(llvm::json::Object{{"file", place->at.file},
                                           {"line", place->at.line},
                                           {"column", place->at.column},
                                           {"function", place->function},
                                           {"caller", caller}});
    }
    number = known->second;
    caller = number;
  }
  return caller;
}

void device_state::add_function(llvm::Function const& function, llvm::json::Array sites) {
  functions_.push_back(llvm::json::Object{{"name", function.getName().str()},
                                          {"is_entry", function.getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL},
                                          {"why", ""},
                                          {"row", nullptr},
                                          {"sites", std::move(sites)}});
}

std::string device_state::make_text(std::string const& id) const {
  llvm::json::Array tools;
  for (std::string const& tool : tools_) tools.push_back(tool);
  std::uint64_t const bytes = std::uint64_t{counters_} * counter_bytes;
  llvm::json::Object const table{
      {"schema", "pasta.ptx.sites/3"},
      {"pasta", "0.1.0"},
      {"id", id},
      {"tools", std::move(tools)},
      {"target", target_of(*module_)},
      {"counters", counters_},
      {"shard_bytes", static_cast<std::int64_t>((bytes + shard_alignment - 1) / shard_alignment * shard_alignment)},
      {"shared_bytes", 0},
      {"rows", llvm::json::Array{}},
      {"places", llvm::json::Array(places_)},
      {"functions", llvm::json::Array(functions_)}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(llvm::json::Object(table));
  return text;
}

std::string device_state::make_id() const {
  llvm::MD5 hash;
  hash.update(make_text(""));
  hash.update(module_->getSourceFileName());
  llvm::MD5::MD5Result result;
  hash.final(result);
  return std::string(result.digest());
}

void device_state::finish() {
  if (counters_ == 0) return remove_variable(*module_, variable_);
  std::string const id = make_id();
  llvm::LLVMContext& context = module_->getContext();
  llvm::Constant* const text = llvm::ConstantDataArray::getString(context, make_text(id), false);
  llvm::GlobalVariable* const table = make_variable(*module_, text, true, "pasta_sites_" + id);
  llvm::Type* const word = llvm::Type::getInt64Ty(context);
  llvm::Type* const half = llvm::Type::getInt32Ty(context);
  auto const bytes = module_->getDataLayout().getTypeStoreSize(text->getType());
  variable_->setInitializer(llvm::ConstantStruct::get(
      type_, {llvm::Constant::getNullValue(type_->getElementType(0)), llvm::ConstantInt::get(half, 0),
              llvm::ConstantInt::get(half, 0), llvm::ConstantInt::get(word, bytes), table,
              llvm::ConstantInt::get(word, 0), llvm::ConstantInt::get(word, 0)}));
  variable_->setName("pasta_state_" + id);
  llvm::appendToCompilerUsed(*module_, {variable_});
}

}  // namespace pasta::plugin
