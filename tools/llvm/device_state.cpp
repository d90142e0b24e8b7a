// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "device_state.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Support/MD5.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "compatibility.hpp"

namespace pasta::plugin {

namespace {

constexpr unsigned counter_bytes = 8, shard_alignment = 128, row_alignment = 32;

constexpr std::uint64_t aligned(std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; }

// Of pointers to a GPU's memory.
unsigned global_space(llvm::Module const& module) { return is_amd(module) ? 1 : 0; }

// Objects of the same text share what is theirs when they are linked; the HIP runtime finds the variables by name.
llvm::GlobalVariable* make_variable(llvm::Module& module, llvm::Constant* value, bool is_constant,
                                    std::string const& name) {
  auto* const made =
      new llvm::GlobalVariable(module, value->getType(), is_constant, llvm::GlobalValue::WeakODRLinkage, value, name,
                               nullptr, llvm::GlobalValue::NotThreadLocal, global_space(module));
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

std::uint64_t device_state::shared_line_bytes() const { return aligned(shared_bytes_, shard_alignment); }

device_state::device_state(llvm::Module& module, device_tools const& tools, annotated_functions const& annotated)
    : module_(&module), tools_(&tools), annotated_(annotated) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* const word = llvm::Type::getInt64Ty(context);
  llvm::Type* const half = llvm::Type::getInt32Ty(context);
  llvm::Type* const pointer = llvm::PointerType::get(context, global_space(module));
  type_ = llvm::StructType::get(context, {pointer, half, half, word, pointer, pointer, pointer});  // a module_state
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

void device_state::place_rows() {
  shard_bytes_ = std::uint64_t{counters_} * counter_bytes;
  shared_bytes_ = 0;
  for (device_tool const& tool : tools_->tools) {
    tool_area& area = areas_.emplace_back();
    if (!tool.handles_any()) continue;
    area.function_shard_bytes = tool.abi[detail::abi_function_shard_bytes];
    area.function_shared_bytes = tool.abi[detail::abi_function_shared_bytes];
    area.site_shard_bytes = tool.abi[detail::abi_site_shard_bytes];
    area.site_shared_bytes = tool.abi[detail::abi_site_shared_bytes];
    auto const take = [](std::uint64_t& end, std::int64_t count, std::uint32_t bytes) {
      std::uint64_t const begin = aligned(end, row_alignment);
      end = begin + static_cast<std::uint64_t>(count) * bytes;
      return begin;
    };
    area.shard_functions = take(shard_bytes_, function_rows_, area.function_shard_bytes);
    area.shard_sites = take(shard_bytes_, rows_, area.site_shard_bytes);
    area.shared_functions = take(shared_bytes_, function_rows_, area.function_shared_bytes);
    area.shared_sites = take(shared_bytes_, rows_, area.site_shared_bytes);
  }
}

void device_state::add_function(llvm::Function const& function, std::int64_t row, llvm::json::Array sites) {
  functions_.push_back(llvm::json::Object{{"name", function.getName().str()},
                                          {"is_entry", is_kernel(function, annotated_)},
                                          {"why", ""},
                                          {"row", row < 0 ? llvm::json::Value(nullptr) : row},
                                          {"sites", std::move(sites)}});
}

std::string device_state::make_text(std::string const& id) const {
  llvm::json::Array tools;
  llvm::json::Array rows;
  for (std::size_t i = 0; i < tools_->tools.size(); ++i) {
    device_tool const& tool = tools_->tools[i];
    tools.push_back(tool.name);
    if (!tool.handles_any()) continue;
    tool_area const& area = areas_[i];
    auto const describe = [](std::uint64_t functions, std::uint32_t function_bytes, std::uint64_t sites,
                             std::uint32_t site_bytes) {
      return llvm::json::Object{{"functions", static_cast<std::int64_t>(functions)},
                                {"function_bytes", function_bytes},
                                {"sites", static_cast<std::int64_t>(sites)},
                                {"site_bytes", site_bytes}};
    };
    rows.push_back(llvm::json::Object{
        {"tool", tool.name},
        {"function_rows", function_rows_},
        {"site_rows", rows_},
        {"shard", describe(area.shard_functions, area.function_shard_bytes, area.shard_sites, area.site_shard_bytes)},
        {"shared",
         describe(area.shared_functions, area.function_shared_bytes, area.shared_sites, area.site_shared_bytes)}});
  }
  llvm::json::Object const table{{"schema", "pasta.ptx.sites/3"},
                                 {"pasta", "0.1.0"},
                                 {"id", id},
                                 {"tools", std::move(tools)},
                                 {"target", target_of(*module_)},
                                 {"counters", counters_},
                                 {"shard_bytes", static_cast<std::int64_t>(aligned(shard_bytes_, shard_alignment))},
                                 {"shared_bytes", static_cast<std::int64_t>(shared_bytes_)},
                                 {"rows", std::move(rows)},
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
  if (functions_.empty()) return remove_variable(*module_, variable_);
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
              llvm::Constant::getNullValue(type_->getElementType(5)),
              llvm::Constant::getNullValue(type_->getElementType(6))}));
  variable_->setName("pasta_state_" + id);
  llvm::appendToCompilerUsed(*module_, {variable_});
  if (!is_amd(*module_)) register_emulated(table, bytes);
}

// Where kernels are the CPU's functions there is no image in which a collector could look: before main it is told, if
// there is one.
void device_state::register_emulated(llvm::GlobalVariable* table, std::uint64_t bytes) {
  llvm::LLVMContext& context = module_->getContext();
  llvm::Type* const pointer = pointer_type(context);
  llvm::Type* const nothing = llvm::Type::getVoidTy(context);
  auto const weak = [&](char const* name, llvm::ArrayRef<llvm::Type*> parameters) {
    auto* const function = llvm::cast<llvm::Function>(
        module_->getOrInsertFunction(name, llvm::FunctionType::get(nothing, parameters, false)).getCallee());
    if (function->isDeclaration()) function->setLinkage(llvm::GlobalValue::ExternalWeakLinkage);
    return function;
  };
  llvm::Function* const add_module = weak("pasta_hip_add_module", {pointer, pointer, llvm::Type::getInt64Ty(context)});
  llvm::Function* const add_kernel = weak("pasta_hip_add_kernel", {pointer, pointer});
  auto* const begin = llvm::Function::Create(llvm::FunctionType::get(nothing, false),
                                             llvm::GlobalValue::InternalLinkage, "pasta.add_module", module_);
  llvm::BasicBlock* const first = llvm::BasicBlock::Create(context, "", begin);
  llvm::BasicBlock* const tell = llvm::BasicBlock::Create(context, "", begin);
  llvm::BasicBlock* const end = llvm::BasicBlock::Create(context, "", begin);
  llvm::IRBuilder<> at(first);
  at.CreateCondBr(at.CreateIsNotNull(add_module), tell, end);
  at.SetInsertPoint(tell);
  at.CreateCall(add_module, {variable_, table, at.getInt64(bytes)});
  for (llvm::Function* const kernel : annotated_.kernels)
    at.CreateCall(add_kernel, {kernel, at.CreateGlobalString(kernel->getName())});
  at.CreateBr(end);
  at.SetInsertPoint(end);
  at.CreateRetVoid();
  llvm::appendToGlobalCtors(*module_, begin, 65535);
}

}  // namespace pasta::plugin
