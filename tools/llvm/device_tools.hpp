// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The tools whose hooks go into a module of a GPU (include/pasta/instrument/gpu/hook.hpp).
#ifndef PASTA_TOOLS_LLVM_DEVICE_TOOLS_HPP
#define PASTA_TOOLS_LLVM_DEVICE_TOOLS_HPP

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <array>
#include <pasta/instrument/hook_abi.hpp>
#include <string>

#include "sites.hpp"

namespace pasta::plugin {

using detail::hook_function;

/// A tool, with its hook in the module.
struct device_tool {
  std::string name;
  std::array<std::uint32_t, detail::hook_abi_words> abi{};
  std::array<llvm::Function*, detail::hook_function_count> functions{};

  llvm::Function* function(hook_function which) const { return functions[static_cast<std::size_t>(which)]; }
  bool handles(hook_function event) const { return (abi[detail::abi_events] & detail::handled_bit(event)) != 0; }
  bool counts(hook_function event) const { return (abi[detail::abi_events] & detail::counted_bit(event)) != 0; }
  bool handles_sites() const { return abi[detail::abi_site_shard_bytes] != 0 && handles_any_site(); }
  bool handles_any() const;
  std::uint32_t thread_state_words() const { return abi[detail::abi_thread_state_words]; }
  /// Whether its handler wants the accesses. @param size_bytes 0: known when the program runs
  bool watches(operation what, memory_space space, std::uint64_t size_bytes) const;

 private:
  bool handles_any_site() const;
};

/// The tools of a module.
struct device_tools {
  llvm::SmallVector<device_tool, 2> tools;
  std::uint32_t lanes = 64;              ///< of a wave
  llvm::Function* block = nullptr;       ///< the number of the calling thread's block
  llvm::Function* launch_set = nullptr;  ///< the memory of its launch, where it has its own

  bool handles(hook_function event) const;
  bool counts(hook_function event) const;
  bool handles_any() const;
};

/// What `pasta hipcc` includes before each source: a text with a line for each tool, its name and where the files of
/// its hook are: `coalescing /usr/lib/pasta/tools/coalescing`. @return null: there is none
llvm::GlobalVariable* find_tool_list(llvm::Module& module);

/// Links the hooks into the module, as functions of its own. @return "" or half a line: why not
std::string link_tools(llvm::Module& module, std::string const& list, device_tools& into);

/// Removes those of the hooks that nothing calls any more.
void remove_hooks(device_tools const& tools);

}  // namespace pasta::plugin
#endif
