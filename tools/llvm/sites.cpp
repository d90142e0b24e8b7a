// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "sites.hpp"

#include <llvm/ADT/SmallString.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Path.h>

#include "compatibility.hpp"

namespace pasta::plugin {

namespace {

llvm::Value* size_of(llvm::Type* type, llvm::Module const& module) {
  auto const size = static_cast<std::uint64_t>(module.getDataLayout().getTypeStoreSize(type));
  return llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()), size);
}

std::string path_of(llvm::DIFile const* file) {
  if (file == nullptr) return "";
  llvm::StringRef const name = file->getFilename();
  if (llvm::sys::path::is_absolute(name) || file->getDirectory().empty()) return name.str();
  llvm::SmallString<256> path(file->getDirectory());
  llvm::sys::path::append(path, name);
  llvm::sys::path::remove_dots(path, true);
  return std::string(path);
}

bool is_library(llvm::StringRef file) {
  return begins_with(file, "/usr/include/") || begins_with(file, "/usr/lib/") ||
         file.find("/include/c++/") != llvm::StringRef::npos;
}

// Of an instruction that optimization left without a place: where its function begins.
source_place place_of_function(llvm::Instruction const& instruction) {
  llvm::DISubprogram const* const program = instruction.getFunction()->getSubprogram();
  if (program == nullptr) return {};
  return {path_of(program->getFile()), program->getLine(), 0};
}

memory_space space_of_object(llvm::Value const* object, bool is_kernel) {
  if (llvm::isa<llvm::AllocaInst>(object)) return memory_space::local;
  if (auto const* const variable = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
    return variable->isThreadLocal() ? memory_space::shared : memory_space::global;
  }
  if (is_address_of_thread_local(object)) return memory_space::shared;
  if (auto const* const parameter = llvm::dyn_cast<llvm::Argument>(object)) {
    if (parameter->hasByValAttr() || parameter->hasStructRetAttr()) return memory_space::local;
    if (is_kernel) return memory_space::global;
  }
  return memory_space::unknown;
}

}  // namespace

llvm::SmallVector<access, 2> accesses_of(llvm::Instruction& instruction) {
  llvm::Module const& module = *instruction.getModule();
  llvm::SmallVector<access, 2> found;
  auto const add = [&](operation what, llvm::Value* address, llvm::Value* size) {
    found.push_back({what, address, size});
  };
  if (auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    add(operation::load, load->getPointerOperand(), size_of(load->getType(), module));
  } else if (auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    add(operation::store, store->getPointerOperand(), size_of(store->getValueOperand()->getType(), module));
  } else if (auto* const update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    add(operation::atomic, update->getPointerOperand(), size_of(update->getType(), module));
  } else if (auto* const exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    add(operation::atomic, exchange->getPointerOperand(), size_of(exchange->getCompareOperand()->getType(), module));
  } else if (auto* const transfer = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
    add(operation::load, transfer->getRawSource(), transfer->getLength());
    add(operation::store, transfer->getRawDest(), transfer->getLength());
  } else if (auto* const set = llvm::dyn_cast<llvm::MemSetInst>(&instruction)) {
    add(operation::store, set->getRawDest(), set->getLength());
  }
  return found;
}

source_place place_of(llvm::Instruction const& instruction) {
  source_place place;
  bool is_found = false;
  for (llvm::DILocation const* at = instruction.getDebugLoc(); at != nullptr; at = at->getInlinedAt()) {
    std::string file = path_of(at->getFile());
    bool const is_last = at->getInlinedAt() == nullptr;
    if (is_found && is_library(file)) continue;
    if (!is_found || !is_library(file)) place = {std::move(file), at->getLine(), at->getColumn()};
    is_found = true;
    if (!is_library(place.file) || is_last) break;
  }
  if (place.file.empty()) place = place_of_function(instruction);
  if (place.file.empty()) {
    llvm::StringRef name = instruction.getFunction()->getName();
    name = name.substr(0, name.find(".pasta."));
    place = {llvm::demangle(name.str()), 0, 0};
  }
  return place;
}

std::vector<inlined_place> places_of(llvm::Instruction const& instruction) {
  std::vector<inlined_place> places;
  for (llvm::DILocation const* at = instruction.getDebugLoc(); at != nullptr; at = at->getInlinedAt()) {
    std::string function;
    if (at->getInlinedAt() != nullptr) {
      llvm::DISubprogram const* const program = at->getScope()->getSubprogram();
      function = (program->getLinkageName().empty() ? program->getName() : program->getLinkageName()).str();
    }
    places.push_back({{path_of(at->getFile()), at->getLine(), at->getColumn()}, std::move(function)});
  }
  if (places.empty() && instruction.getFunction()->getSubprogram() != nullptr)
    places.push_back({place_of_function(instruction), ""});
  return places;
}

memory_space amd_space_of(llvm::Value const* address) {
  switch (address->getType()->getPointerAddressSpace()) {
    case 1:
      return memory_space::global;
    case 3:
      return memory_space::shared;
    case 5:
      return memory_space::local;
    case 4: {
      auto const* const call = llvm::dyn_cast<llvm::IntrinsicInst>(llvm::getUnderlyingObject(address));
      return call == nullptr ? memory_space::constant : memory_space::unknown;
    }
    default:
      return memory_space::generic;
  }
}

memory_space host_space_of(llvm::Value const* address, bool is_kernel) {
  llvm::SmallVector<llvm::Value const*, 4> objects;
  llvm::getUnderlyingObjects(address, objects, nullptr, 32);
  memory_space common = memory_space::unknown;
  for (llvm::Value const* const object : objects) {
    memory_space const space = space_of_object(object, is_kernel);
    if (object == objects.front()) common = space;
    if (space != common) return memory_space::unknown;
  }
  return common;
}

memory_space emulated_space_of(llvm::Value const* address, bool is_kernel) {
  memory_space const space = host_space_of(address, is_kernel);
  return space == memory_space::unknown ? memory_space::generic : space;
}

bool is_amd(llvm::Module const& module) { return begins_with(module.getTargetTriple(), "amdgcn"); }

}  // namespace pasta::plugin
