// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "device_tools.hpp"

#include <llvm/ADT/StringSet.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>

#include "compatibility.hpp"
#include "device_state.hpp"

namespace pasta::plugin {

namespace {

constexpr char const* abi_name = "pasta_hook_abi";

// As the file of a hook is called for the module's GPU: waves of 64 lanes or of 32, or the CPU's stand-in for both.
std::string kind_of_hook(llvm::Module const& module) {
  if (!is_amd(module)) return "emulated";
  for (llvm::Function const& function : module) {
    if (!function.hasFnAttribute("target-cpu")) continue;
    llvm::StringRef const features = function.getFnAttribute("target-features").getValueAsString();
    if (features.find("+wavefrontsize64") != llvm::StringRef::npos) return "wave64";
    if (features.find("+wavefrontsize32") != llvm::StringRef::npos) return "wave32";
    llvm::StringRef const gpu = function.getFnAttribute("target-cpu").getValueAsString();
    return begins_with(gpu, "gfx1") && gpu.size() >= 7 ? "wave32" : "wave64";  // gfx1030, gfx1100
  }
  return "wave64";
}

bool read_abi(llvm::Module const& hook, device_tool& tool) {
  llvm::GlobalVariable const* const variable = hook.getNamedGlobal(abi_name);
  if (variable == nullptr || !variable->hasInitializer()) return false;
  auto const* const words = llvm::dyn_cast<llvm::ConstantDataSequential>(variable->getInitializer());
  if (words == nullptr || words->getNumElements() != tool.abi.size()) return false;
  for (unsigned i = 0; i < tool.abi.size(); ++i)
    tool.abi[i] = static_cast<std::uint32_t>(words->getElementAsInteger(i));
  return tool.abi[detail::abi_version] == detail::hook_abi_version;
}

// Only the functions of the hook are wanted, as private functions of the module that they come into, for its GPU.
void prepare(llvm::Module& hook, llvm::Module const& into, std::string const& prefix) {
  for (char const* const list : {"llvm.used", "llvm.compiler.used", "llvm.global.annotations"}) {
    if (llvm::GlobalVariable* const used = hook.getNamedGlobal(list)) used->eraseFromParent();
  }
  llvm::SmallVector<llvm::NamedMDNode*, 8> metadata;
  for (llvm::NamedMDNode& node : hook.named_metadata()) metadata.push_back(&node);
  for (llvm::NamedMDNode* const node : metadata) hook.eraseNamedMetadata(node);
  hook.setTargetTriple(into.getTargetTriple());
  hook.setDataLayout(into.getDataLayout());
  for (llvm::Function& function : hook) {
    if (function.isDeclaration()) continue;
    for (char const* const attribute : {"target-cpu", "target-features", "tune-cpu"}) function.removeFnAttr(attribute);
    function.setComdat(nullptr);
    if (!begins_with(function.getName(), "pasta_hook_")) {
      function.setLinkage(llvm::GlobalValue::LinkOnceODRLinkage);  // goes where nothing calls it
      continue;
    }
    function.setName(prefix + function.getName());
    function.setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
}

// What a compiler inferred that no function of the module asks the hardware for, and the hook does:
// "amdgpu-no-workgroup-id-y".
void ask_for_what_is_used(llvm::Module& module, llvm::Function const& hook) {
  for (llvm::Instruction const& instruction : llvm::instructions(hook)) {
    auto const* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    llvm::Function const* const callee = call == nullptr ? nullptr : call->getCalledFunction();
    constexpr llvm::StringRef prefix = "llvm.amdgcn.";
    if (callee == nullptr || !begins_with(callee->getName(), prefix)) continue;
    std::string what = callee->getName().substr(prefix.size()).str();
    std::replace(what.begin(), what.end(), '.', '-');
    for (llvm::Function& function : module) function.removeFnAttr("amdgpu-no-" + what);
  }
}

// Functions of GPU kernels are compiled for their GPU; what is inlined into them has to be, too.
void adopt(llvm::Function& hook) {
  hook.setLinkage(llvm::GlobalValue::InternalLinkage);
  hook.setVisibility(llvm::GlobalValue::DefaultVisibility);
  hook.removeFnAttr(llvm::Attribute::OptimizeNone);
  hook.removeFnAttr(llvm::Attribute::NoInline);
}

std::string link_tool(llvm::Module& module, device_tool& tool, std::string const& file, device_tools& all) {
  auto const buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer) return "there is no hook " + file;
  auto hook = llvm::parseBitcodeFile(**buffer, module.getContext());
  if (!hook) {
    llvm::consumeError(hook.takeError());
    return file + " is no bitcode that this LLVM reads";
  }
  if (!read_abi(**hook, tool)) return file + " is of another version of PASTA than the pass plugin";
  if (tool.abi[detail::abi_obstacle] != 0)
    return tool.name + " handles block_enter or block_exit, which the llvm route does not have on a GPU";
  std::string const prefix = tool.name + ".";
  prepare(**hook, module, prefix);
  // What the hook's functions do not need stays where it is.
  for (llvm::Function const& function : **hook) {
    if (begins_with(function.getName(), prefix))
      module.getOrInsertFunction(function.getName(), function.getFunctionType());
  }
  if (llvm::Linker::linkModules(module, std::move(*hook), llvm::Linker::LinkOnlyNeeded))
    return file + " cannot be linked";
  for (std::size_t i = 0; i < tool.functions.size(); ++i) {
    auto const which = static_cast<hook_function>(i);
    std::string const name = prefix + "pasta_hook_" + std::string(detail::to_string(which));
    tool.functions[i] = module.getFunction(name);
    if (tool.functions[i] == nullptr) return file + " has no " + name.substr(prefix.size());
    adopt(*tool.functions[i]);
    ask_for_what_is_used(module, *tool.functions[i]);
  }
  // All tools have the same of these.
  for (auto const& [name, place] :
       {std::pair("pasta_hook_block", &all.block), std::pair("pasta_hook_launch_set", &all.launch_set)}) {
    llvm::Function* const found = module.getFunction(prefix + name);
    if (found == nullptr) return file + " has no " + name;
    adopt(*found);
    ask_for_what_is_used(module, *found);
    if (*place == nullptr) {
      *place = found;
    } else {
      found->eraseFromParent();
    }
  }
  if (llvm::GlobalVariable* const abi = module.getNamedGlobal(abi_name)) abi->eraseFromParent();
  return "";
}

}  // namespace

bool device_tool::handles_any_site() const {
  constexpr std::uint32_t thread_events =
      detail::handled_bit(hook_function::thread_enter) | detail::handled_bit(hook_function::thread_exit);
  return (abi[detail::abi_events] & 0x5555u & ~thread_events) != 0;
}

bool device_tool::handles_any() const { return (abi[detail::abi_events] & 0x5555u) != 0; }

bool device_tool::watches(operation what, memory_space space, std::uint64_t size_bytes) const {
  bool const is_power = size_bytes != 0 && (size_bytes & (size_bytes - 1)) == 0;
  if (space > memory_space::local || !is_power || size_bytes >= 1u << detail::watched_sizes) return true;
  std::uint32_t log2 = 0;
  while (size_bytes >> (log2 + 1) != 0) ++log2;
  std::uint32_t const bit =
      detail::watched_bit(static_cast<std::uint32_t>(what), static_cast<std::uint32_t>(space), log2);
  return (abi[bit < 32 ? detail::abi_watched_low : detail::abi_watched_high] >> (bit % 32) & 1) != 0;
}

bool device_tools::handles(hook_function event) const {
  return std::any_of(tools.begin(), tools.end(), [&](device_tool const& each) { return each.handles(event); });
}
bool device_tools::counts(hook_function event) const {
  return std::any_of(tools.begin(), tools.end(), [&](device_tool const& each) { return each.counts(event); });
}
bool device_tools::handles_any() const {
  return std::any_of(tools.begin(), tools.end(), [](device_tool const& each) { return each.handles_any(); });
}

llvm::GlobalVariable* find_tool_list(llvm::Module& module) {
  for (char const* const name : {"pasta_device_tools", "_ZL18pasta_device_tools"}) {
    llvm::GlobalVariable* const variable = module.getNamedGlobal(name);
    if (variable == nullptr || !variable->hasInitializer()) continue;
    auto const* const text = llvm::dyn_cast<llvm::ConstantDataSequential>(variable->getInitializer());
    if (text != nullptr && text->isCString()) return variable;
  }
  return nullptr;
}

std::string link_tools(llvm::Module& module, std::string const& list, device_tools& into) {
  std::string const kind = kind_of_hook(module);
  into.lanes = kind == "wave32" ? 32 : 64;
  llvm::SmallVector<llvm::StringRef, 4> lines;
  llvm::StringRef(list).split(lines, '\n', -1, false);
  for (llvm::StringRef const line : lines) {
    auto const [name, stem] = line.split(' ');
    device_tool& tool = into.tools.emplace_back();
    tool.name = name.str();
    std::string error = link_tool(module, tool, (stem + "." + kind + ".bc").str(), into);
    if (!error.empty()) return error;
  }
  return "";
}

void remove_hooks(device_tools const& tools) {
  auto const remove = [](llvm::Function* function) {
    if (function != nullptr && function->use_empty()) function->eraseFromParent();
  };
  for (device_tool const& tool : tools.tools) llvm::for_each(tool.functions, remove);
  remove(tools.block);
  remove(tools.launch_set);
}

}  // namespace pasta::plugin
