// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Finds the hooks in a module of the host: the constant pasta_llvm_hooks, see
/// include/pasta/instrument/llvm/host_hooks.hpp.
#ifndef PASTA_TOOLS_LLVM_HOOK_TABLE_HPP
#define PASTA_TOOLS_LLVM_HOOK_TABLE_HPP

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>

#include <string>

namespace pasta::plugin {

inline constexpr std::uint64_t host_hooks_version = 1;
inline constexpr std::uint32_t memory_access_bit = 1, branch_bit = 2, call_bit = 4;

/// The hooks of one run's tools.
struct run_hooks {
  std::uint32_t handled = 0, counted = 0;  ///< bits of events
  llvm::Function* access = nullptr;
  llvm::Function* count = nullptr;
  llvm::Function* branch = nullptr;
  llvm::Function* call = nullptr;
  llvm::Function* add_kernel = nullptr;

  bool handles(std::uint32_t bit) const { return (handled & bit) != 0; }
  bool sees(std::uint32_t bit) const { return ((handled | counted) & bit) != 0; }
};

struct hook_table {
  llvm::GlobalVariable* variable = nullptr;  ///< null: there is none in the module
  llvm::SmallVector<run_hooks, 4> runs;
  std::string error;  ///< one line; then there are no runs
};

hook_table read_hook_table(llvm::Module& module);

/// Takes the constant away, so that nothing keeps functions that no kernel calls.
void remove_hook_table(llvm::Module& module, hook_table const& table);

}  // namespace pasta::plugin
#endif
