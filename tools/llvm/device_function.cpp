// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "device_function.hpp"

#include <algorithm>
#include <array>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "called_hooks.hpp"
#include "compatibility.hpp"
#include "kernels.hpp"

namespace pasta::plugin {

namespace {

// Fields of a module_state.
constexpr unsigned shards_field = 0, shard_mask_field = 1, shard_bytes_field = 2, shared_field = 5, launches_field = 6;

char const* name_of(memory_space space) {
  switch (space) {
    case memory_space::global:
      return "global";
    case memory_space::shared:
      return "shared";
    case memory_space::local:
      return "local";
    case memory_space::constant:
      return "constant";
    default:
      return "generic";
  }
}
char const* name_of(operation what) {
  return what == operation::load ? "load" : what == operation::store ? "store" : "atomic";
}
char const* name_of(hook_function event) {
  switch (event) {
    case hook_function::async_copy:
      return "copy";
    case hook_function::barrier:
      return "barrier";
    case hook_function::branch:
      return "branch";
    case hook_function::matrix_operation:
      return "matrix";
    default:
      return "call";
  }
}

llvm::Instruction* behind_allocas(llvm::BasicBlock& entry) {
  llvm::Instruction* at = &*entry.getFirstInsertionPt();
  while (llvm::isa<llvm::AllocaInst>(at) || llvm::isa<llvm::DbgInfoIntrinsic>(at)) at = at->getNextNode();
  return at;
}

// With more calls of hooks than that in a function they stay calls: compilers take minutes for a sort's thousands of
// sites, and a GPU's cache of instructions has no room for as many bodies.
constexpr std::size_t most_inlined = 8;

std::uint64_t constant_of(llvm::Value const* value) {
  auto const* const constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  return constant == nullptr ? 0 : constant->getZExtValue();
}

// As pasta::element_type; nothing for a type that has no word there.
std::optional<std::uint32_t> number_of(llvm::StringRef type) {
  constexpr std::array<llvm::StringRef, 10> names{"f64", "f32", "tf32", "f16", "bf16", "f8", "s8", "s4", "s32", "b1"};
  if (type == "e4m3" || type == "e5m2") type = "f8";
  auto const* const found = llvm::find(names, type);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - names.begin());
}
bool reaches_handlers(matrix_product const& product) {
  return product.a == product.b && number_of(product.a) && number_of(product.d);
}

std::string opcode_of(llvm::Instruction const& instruction) {
  auto const* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call == nullptr ? instruction.getOpcodeName() : call->getCalledFunction()->getName().str();
}

// What happens at an instruction beside accesses; start: nothing.
hook_function event_at(llvm::Instruction const& instruction, annotated_functions const& annotated) {
  if (auto const* const jump = llvm::dyn_cast<llvm::BranchInst>(&instruction))
    return jump->isConditional() ? hook_function::branch : hook_function::start;
  auto const* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || call->isInlineAsm()) return hook_function::start;
  llvm::Function const* const callee = call->getCalledFunction();
  if (auto const* const known = llvm::dyn_cast<llvm::IntrinsicInst>(call)) {
    if (product_of(instruction)) return hook_function::matrix_operation;
    return known->getIntrinsicID() == llvm::Intrinsic::amdgcn_s_barrier ? hook_function::barrier : hook_function::start;
  }
  if (callee != nullptr && annotated.barriers.contains(const_cast<llvm::Function*>(callee)))
    return hook_function::barrier;
  return callee != nullptr && is_own(*callee, annotated) ? hook_function::start : hook_function::call;
}

}  // namespace

void device_function::plan(device_state& state) {
  for (llvm::Instruction& instruction : llvm::instructions(*function_)) plan_site(instruction, state);
  bool const has_thread_events =
      is_kernel_ && (tools_->handles(hook_function::thread_enter) || tools_->handles(hook_function::thread_exit));
  is_hooked_ = is_hooked_ || has_thread_events;
  if (!has_sites()) {
    if (is_kernel_) state.add_function(*function_, -1, {});  // it is known to have nothing
    return;
  }
  if (tools_->handles_any()) row_ = state.take_function_row();
  first_counter_ = state.take_counters(counters_.size());
  llvm::json::Array table;
  for (site const& each : sites_) table.push_back(describe(each, state, first_counter_));
  number_ = state.function_count();
  state.add_function(*function_, row_, std::move(table));
}

llvm::SmallVector<access, 2> device_function::find_accesses(llvm::Instruction& instruction,
                                                            device_state const& state) const {
  auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || call->arg_size() < 2 || !state.annotated().atomics.contains(call->getCalledFunction()))
    return accesses_of(instruction);
  llvm::Type* const type = call->getArgOperand(1)->getType();
  auto const size = static_cast<std::uint64_t>(function_->getParent()->getDataLayout().getTypeStoreSize(type));
  return {{operation::atomic, call->getArgOperand(0),
           llvm::ConstantInt::get(llvm::Type::getInt64Ty(instruction.getContext()), size)}};
}

void device_function::plan_site(llvm::Instruction& instruction, device_state& state) {
  site found{&instruction, {}, hook_function::start, {}, std::nullopt, -1};
  if (tools_->handles(hook_function::memory_access) || tools_->counts(hook_function::memory_access)) {
    for (access const& one : find_accesses(instruction, state)) {
      memory_space const space =
          is_amd(*instruction.getModule()) ? amd_space_of(one.address) : emulated_space_of(one.address, is_kernel_);
      if (space == memory_space::unknown) continue;
      site_access made{one, space, {tools_->counts(hook_function::memory_access), -1}};
      bool const is_handled = llvm::any_of(tools_->tools, [&](device_tool const& tool) {
        return tool.handles(hook_function::memory_access) && space != memory_space::constant &&
               tool.watches(one.what, space, constant_of(one.size_bytes));
      });
      if (is_handled) made.by.row = state.take_row();
      if (made.by.is_counted || is_handled) found.accesses.push_back(made);
    }
  }
  hook_function const event = event_at(instruction, state.annotated());
  if (event != hook_function::start && (tools_->handles(event) || tools_->counts(event))) {
    found.event = event;
    found.product = product_of(instruction);
    bool const is_handled = tools_->handles(event) && (!found.product || reaches_handlers(*found.product));
    found.event_by = {tools_->counts(event), is_handled ? state.take_row() : -1};
  }
  if (found.accesses.empty() && found.event == hook_function::start) return;
  bool const is_counted = found.event_by.is_counted ||
                          llvm::any_of(found.accesses, [](site_access const& each) { return each.by.is_counted; });
  if (is_counted) found.counter = counters_.add(instruction);
  is_hooked_ = is_hooked_ || found.event_by.row >= 0 ||
               llvm::any_of(found.accesses, [](site_access const& each) { return each.by.row >= 0; });
  sites_.push_back(std::move(found));
}

llvm::json::Object device_function::describe(site const& each, device_state& state, unsigned first_counter) const {
  llvm::json::Array accesses;
  for (site_access const& one : each.accesses) {
    auto const size = static_cast<std::int64_t>(constant_of(one.what.size_bytes));
    llvm::json::Object made{{"kind", name_of(one.what.what)},
                            {"space", name_of(one.space)},
                            {"bytes", size != 0 ? llvm::json::Value(size) : nullptr}};
    if (one.by.row >= 0) {
      made["row"] = one.by.row;
    } else if (tools_->handles(hook_function::memory_access) && one.space == memory_space::constant) {
      made["unhandled"] = "it is of constant memory";
    }
    accesses.push_back(std::move(made));
  }
  llvm::json::Object made{{"place", state.add_places(places_of(*each.instruction))},
                          {"opcode", opcode_of(*each.instruction)},
                          {"line", 0},
                          {"accesses", std::move(accesses)}};
  if (each.counter >= 0) made["counter"] = first_counter + each.counter;
  if (each.event != hook_function::start) {
    llvm::json::Object event{{"kind", name_of(each.event)}, {"space", "global"}, {"bytes", 0}};
    if (each.event_by.row >= 0) {
      event["row"] = each.event_by.row;
    } else if (tools_->handles(each.event)) {
      event["unhandled"] = "its types have no word in the event";
    }
    if (each.product) {
      matrix_product const& made_of = *each.product;
      event["product"] = llvm::json::Object{
          {"m", made_of.m},         {"n", made_of.n}, {"k", made_of.k}, {"products", made_of.products},
          {"lanes", tools_->lanes}, {"a", made_of.a}, {"b", made_of.b}, {"d", made_of.d}};
    }
    made["event"] = std::move(event);
  }
  return made;
}

device_function::entry_values device_function::make_entry(device_state const& state, llvm::IRBuilder<>& at) const {
  llvm::GlobalVariable* const variable = state.variable();
  auto* const type = llvm::cast<llvm::StructType>(variable->getValueType());
  auto const load = [&](unsigned field) -> llvm::Value* {
    llvm::LoadInst* const made = at.CreateLoad(type->getElementType(field), at.CreateStructGEP(type, variable, field));
    // Nothing changes it while a kernel runs: a scalar load, whatever else the kernel writes.
    made->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(at.getContext(), {}));
    return made;
  };
  llvm::Value* const shards = load(shards_field);
  llvm::Value* const block = at.CreateCall(tools_->block);
  llvm::Value* const shard = at.CreateAnd(block, load(shard_mask_field));
  llvm::Value* const offset =
      at.CreateMul(at.CreateZExt(shard, at.getInt64Ty()), at.CreateZExt(load(shard_bytes_field), at.getInt64Ty()));
  llvm::Value* const shared = load(shared_field);
  // A launch that has a set of its own adds there.
  llvm::Value* set =
      at.CreateCall(tools_->launch_set,
                    {load(launches_field), at.getInt32(is_kernel_ ? static_cast<std::uint32_t>(number_ + 1) : 0)});
  llvm::Value* const is_apart = at.CreateIsNotNull(set);
  llvm::Value* const own = at.CreateIntToPtr(set, shards->getType());
  llvm::Value* const own_shard = at.CreateConstGEP1_64(at.getInt8Ty(), own, state.shared_line_bytes());
  llvm::Value* const plain_shard = at.CreateGEP(at.getInt8Ty(), shards, offset);
  return {at.CreateIsNotNull(shards), as_scalar(at, at.CreateSelect(is_apart, own_shard, plain_shard)),
          as_scalar(at, at.CreateSelect(is_apart, own, shared))};
}

void device_function::instrument(device_state const& state, llvm::SmallVectorImpl<llvm::Function*>& made) {
  if (!has_sites()) return;
  forget_what_was_inferred(*function_);
  entry_values at_entry{};
  threads_.assign(tools_->tools.size(), nullptr);
  if (is_hooked_) {
    llvm::IRBuilder<> at(behind_allocas(function_->getEntryBlock()));
    give_place(at, *at.GetInsertPoint());
    at_entry = make_entry(state, at);
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      device_tool const& tool = tools_->tools[i];
      if (!tool.handles_any() || tool.thread_state_words() == 0) continue;
      threads_[i] =
          at.CreateAlloca(llvm::ArrayType::get(at.getInt32Ty(), tool.thread_state_words()), nullptr, "pasta.thread");
      call(at, tool, hook_function::start, i, {}, nullptr, -1);
    }
    for (site const& each : sites_) call_hooks(each, state, at_entry);
    call_at_begin(state, at_entry);
    call_at_ends(state, at_entry);
  }
  counters_.finish([&](llvm::IRBuilder<>& at, llvm::ArrayRef<llvm::Value*> executions) {
    add_counters(at, executions, is_hooked_ ? at_entry : make_entry(state, at));
  });
  inline_hooks(at_entry, made);
}

// An inlined body needs a place in a function that has debug information.
void device_function::give_place(llvm::IRBuilder<>& at, llvm::Instruction const& near) const {
  llvm::DISubprogram* const program = function_->getSubprogram();
  if (near.getDebugLoc()) {
    at.SetCurrentDebugLocation(near.getDebugLoc());
  } else if (program != nullptr) {
    at.SetCurrentDebugLocation(llvm::DILocation::get(at.getContext(), program->getLine(), 0, program));
  }
}

void device_function::call(llvm::IRBuilder<>& at, device_tool const& tool, hook_function which, std::size_t number,
                           llvm::SmallVector<llvm::Value*, 12> arguments, device_state::tool_area const* area,
                           std::int64_t site_row) {
  llvm::Function* const hook = tool.function(which);
  llvm::Type* const last = hook->getFunctionType()->params().back();
  llvm::Value* thread = llvm::Constant::getNullValue(last);
  if (threads_[number] != nullptr) thread = at.CreatePointerBitCastOrAddrSpaceCast(threads_[number], last);
  arguments.push_back(thread);
  for (auto const& [argument, parameter] : llvm::zip(arguments, hook->getFunctionType()->params()))
    if (argument->getType()->isIntegerTy()) argument = at.CreateZExtOrTrunc(argument, parameter);
  calls_.push_back({at.CreateCall(hook, arguments), &tool, which, area, site_row, row_});
}

void device_function::add_rows(llvm::IRBuilder<>& at, llvm::SmallVector<llvm::Value*, 12>& arguments,
                               device_state::tool_area const& area, std::int64_t site_row,
                               entry_values const& at_entry) const {
  auto const at_offset = [&](llvm::Value* base, std::uint64_t offset) {
    return at.CreateConstGEP1_64(at.getInt8Ty(), base, offset);
  };
  if (site_row >= 0) {
    auto const row = static_cast<std::uint64_t>(site_row);
    arguments.push_back(at.getInt32(static_cast<std::uint32_t>(row)));
    arguments.push_back(at_offset(at_entry.shard, area.shard_sites + row * area.site_shard_bytes));
    arguments.push_back(at_offset(at_entry.shared, area.shared_sites + row * area.site_shared_bytes));
  }
  auto const row = static_cast<std::uint64_t>(row_);
  arguments.push_back(at_offset(at_entry.shard, area.shard_functions + row * area.function_shard_bytes));
  arguments.push_back(at_offset(at_entry.shared, area.shared_functions + row * area.function_shared_bytes));
}

void device_function::call_hooks(site const& each, device_state const& state, entry_values const& at_entry) {
  bool const is_handled =
      each.event_by.row >= 0 || llvm::any_of(each.accesses, [](site_access const& one) { return one.by.row >= 0; });
  if (!is_handled) return;
  llvm::IRBuilder<> at(llvm::SplitBlockAndInsertIfThen(at_entry.is_collected, each.instruction, false));
  give_place(at, *each.instruction);
  auto const number = [&](auto value) { return at.getInt32(static_cast<std::uint32_t>(value)); };
  for (std::size_t i = 0; i < tools_->tools.size(); ++i) {
    device_tool const& tool = tools_->tools[i];
    if (each.event_by.row >= 0 && tool.handles(each.event)) {
      llvm::SmallVector<llvm::Value*, 12> arguments;
      if (auto* const jump = llvm::dyn_cast<llvm::BranchInst>(each.instruction)) {
        arguments.push_back(jump->getCondition());
      } else if (each.event == hook_function::barrier) {
        arguments.push_back(number(1));  // barrier_scope::block
      } else if (each.product) {
        for (std::uint32_t const value :
             {each.product->m, each.product->n, each.product->k, number_of(each.product->a).value_or(0),
              number_of(each.product->d).value_or(0)})
          arguments.push_back(number(value));
      } else if (each.event == hook_function::call) {
        llvm::Value* const callee = llvm::cast<llvm::CallBase>(each.instruction)->getCalledOperand();
        arguments.push_back(at.CreatePtrToInt(callee, at.getInt64Ty()));
      }
      add_rows(at, arguments, state.area_of(i), each.event_by.row, at_entry);
      call(at, tool, each.event, i, std::move(arguments), &state.area_of(i), each.event_by.row);
    }
    for (site_access const& one : each.accesses) {
      bool const is_wanted = one.by.row >= 0 && tool.handles(hook_function::memory_access) &&
                             tool.watches(one.what.what, one.space, constant_of(one.what.size_bytes));
      if (!is_wanted) continue;
      llvm::SmallVector<llvm::Value*, 12> arguments{at.CreatePtrToInt(one.what.address, at.getInt64Ty()),
                                                    at.CreateZExtOrTrunc(one.what.size_bytes, at.getInt32Ty()),
                                                    number(one.what.what), number(one.space)};
      add_rows(at, arguments, state.area_of(i), one.by.row, at_entry);
      call(at, tool, hook_function::memory_access, i, std::move(arguments), &state.area_of(i), one.by.row);
    }
  }
}

void device_function::call_in_lanes(llvm::Instruction* before, hook_function which, device_state const& state,
                                    entry_values const& at_entry) {
  auto const wants = [&](device_tool const& tool) {
    return which == hook_function::fold ? tool.handles_any() && tool.thread_state_words() > 0
                                        : is_kernel_ && tool.handles(which);
  };
  if (llvm::none_of(tools_->tools, wants)) return;
  llvm::IRBuilder<> at(llvm::SplitBlockAndInsertIfThen(at_entry.is_collected, before, false));
  give_place(at, *before);
  for (std::size_t i = 0; i < tools_->tools.size(); ++i) {
    if (!wants(tools_->tools[i])) continue;
    llvm::SmallVector<llvm::Value*, 12> arguments;
    add_rows(at, arguments, state.area_of(i), -1, at_entry);
    call(at, tools_->tools[i], which, i, std::move(arguments), &state.area_of(i), -1);
  }
}

// Behind what the thread's states begin with.
void device_function::call_at_begin(device_state const& state, entry_values const& at_entry) {
  llvm::Instruction* last = llvm::cast<llvm::Instruction>(at_entry.shared);
  for (hook_call const& each : calls_) {
    if (each.call->getParent() == &function_->getEntryBlock()) last = each.call;
  }
  call_in_lanes(last->getNextNode(), hook_function::thread_enter, state, at_entry);
}

void device_function::call_at_ends(device_state const& state, entry_values const& at_entry) {
  for (llvm::Instruction* const end : find_ends(*function_)) {
    call_in_lanes(end, hook_function::thread_exit, state, at_entry);
    call_in_lanes(end, hook_function::fold, state, at_entry);
  }
}

// To a shard that blocks take by their number.
void device_function::add_counters(llvm::IRBuilder<>& at, llvm::ArrayRef<llvm::Value*> executions,
                                   entry_values const& at_entry) {
  llvm::Instruction* const end = llvm::SplitBlockAndInsertIfThen(at_entry.is_collected, &*at.GetInsertPoint(), false);
  llvm::IRBuilder<> add(end);
  add.SetCurrentDebugLocation(at.getCurrentDebugLocation());
  llvm::SyncScope::ID scope = llvm::SyncScope::System;
  if (is_amd(*function_->getParent())) scope = add.getContext().getOrInsertSyncScopeID("agent-one-as");
  for (unsigned i = 0; i < executions.size(); ++i) {
    llvm::Value* const counter =
        add.CreateConstGEP1_64(add.getInt8Ty(), at_entry.shard, std::uint64_t{first_counter_ + i} * 8);
    add.CreateAtomicRMW(llvm::AtomicRMWInst::Add, counter, executions[i], llvm::MaybeAlign(8),
                        llvm::AtomicOrdering::Monotonic, scope);
  }
}

void device_function::inline_hooks(entry_values const& at_entry, llvm::SmallVectorImpl<llvm::Function*>& made) {
  llvm::SmallVector<llvm::CallBase*, 64> calls;
  if (calls_.size() <= most_inlined) {
    for (hook_call const& each : calls_) calls.push_back(each.call);
  } else {
    for (hook_call const& each : calls_) {
      if (llvm::Function* const called = call_by_numbers(each, at_entry.shard, at_entry.shared, *function_))
        made.push_back(called);
    }
  }
  for (llvm::Instruction& instruction : llvm::instructions(*function_)) {
    auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    bool const is_of_entry = call != nullptr && (call->getCalledFunction() == tools_->block ||
                                                 call->getCalledFunction() == tools_->launch_set);
    if (is_of_entry) calls.push_back(call);
  }
  for (llvm::CallBase* const each : calls) {
    llvm::InlineFunctionInfo information;
    llvm::InlineFunction(*each, information);
  }
}

}  // namespace pasta::plugin
