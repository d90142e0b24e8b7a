// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "device_function.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "block_counters.hpp"
#include "hook_table.hpp"

namespace pasta::plugin {

namespace {

// Fields of a module_state.
constexpr unsigned shards_field = 0, shard_mask_field = 1, shard_bytes_field = 2;

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

// What stands in the site table for an instruction, or an empty list.
llvm::json::Array describe(llvm::Instruction& instruction) {
  llvm::json::Array accesses;
  for (access const& one : accesses_of(instruction)) {
    memory_space const space = amd_space_of(one.address);
    if (space == memory_space::unknown) continue;
    auto const* const size = llvm::dyn_cast<llvm::ConstantInt>(one.size_bytes);
    accesses.push_back(llvm::json::Object{
        {"kind", name_of(one.what)},
        {"space", name_of(space)},
        {"bytes", size != nullptr ? llvm::json::Value(static_cast<std::int64_t>(size->getZExtValue())) : nullptr}});
  }
  return accesses;
}

// Adds the counters to a shard that blocks take by their number.
void add_to_memory(llvm::IRBuilder<>& at, llvm::ArrayRef<llvm::Value*> executions, device_state const& state,
                   unsigned first) {
  llvm::GlobalVariable* const variable = state.variable();
  auto const load = [&](llvm::IRBuilder<>& in, unsigned field) -> llvm::Value* {
    llvm::Value* const address = in.CreateStructGEP(variable->getValueType(), variable, field);
    llvm::LoadInst* const made =
        in.CreateLoad(llvm::cast<llvm::StructType>(variable->getValueType())->getElementType(field), address);
    // Nothing changes it while a kernel runs: a scalar load, whatever else the kernel writes.
    made->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(in.getContext(), {}));
    return made;
  };
  llvm::Value* const shards = load(at, shards_field);
  llvm::Value* const is_collected = at.CreateIsNotNull(shards);
  llvm::Instruction* const end = llvm::SplitBlockAndInsertIfThen(is_collected, &*at.GetInsertPoint(), false);
  llvm::IRBuilder<> add(end);
  add.SetCurrentDebugLocation(at.getCurrentDebugLocation());
  llvm::Value* const block = add.CreateIntrinsic(llvm::Intrinsic::amdgcn_workgroup_id_x, {}, {});
  llvm::Value* const shard = add.CreateAnd(block, load(add, shard_mask_field));
  llvm::Value* const offset = add.CreateMul(add.CreateZExt(shard, add.getInt64Ty()),
                                            add.CreateZExt(load(add, shard_bytes_field), add.getInt64Ty()));
  llvm::Value* const begin = add.CreateGEP(add.getInt8Ty(), shards, offset);
  auto const scope = add.getContext().getOrInsertSyncScopeID("agent-one-as");
  for (unsigned i = 0; i < executions.size(); ++i) {
    llvm::Value* const counter = add.CreateConstGEP1_64(add.getInt8Ty(), begin, std::uint64_t{first + i} * 8);
    add.CreateAtomicRMW(llvm::AtomicRMWInst::Add, counter, executions[i], llvm::MaybeAlign(8),
                        llvm::AtomicOrdering::Monotonic, scope);
  }
}

}  // namespace

void count_in_function(llvm::Function& function, std::uint32_t counted, device_state& state) {
  block_counters counters(function);
  struct counted_site {
    llvm::Instruction* instruction;
    llvm::json::Array accesses;
    unsigned counter;
  };
  std::vector<counted_site> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if ((counted & memory_access_bit) == 0) break;
    llvm::json::Array accesses = describe(instruction);
    if (!accesses.empty()) found.push_back({&instruction, std::move(accesses), counters.add(instruction)});
  }
  if (found.empty()) return;
  unsigned const first = state.take_counters(counters.size());
  llvm::json::Array sites;
  for (counted_site& one : found) {
    sites.push_back(llvm::json::Object{{"place", state.add_places(places_of(*one.instruction))},
                                       {"opcode", one.instruction->getOpcodeName()},
                                       {"line", 0},
                                       {"accesses", std::move(one.accesses)},
                                       {"counter", first + one.counter}});
  }
  state.add_function(function, std::move(sites));
  counters.finish([&](llvm::IRBuilder<>& at, llvm::ArrayRef<llvm::Value*> executions) {
    add_to_memory(at, executions, state, first);
  });
}

}  // namespace pasta::plugin
