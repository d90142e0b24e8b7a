// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Puts what tools want into a function of a GPU: a counter for each basic block that has something to count, and their
/// hooks before what they handle.
#ifndef PASTA_TOOLS_LLVM_DEVICE_FUNCTION_HPP
#define PASTA_TOOLS_LLVM_DEVICE_FUNCTION_HPP

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "block_counters.hpp"
#include "called_hooks.hpp"
#include "device_state.hpp"
#include "device_tools.hpp"
#include "matrix.hpp"

namespace pasta::plugin {

class device_function {
 public:
  device_function(llvm::Function& function, device_tools const& tools, bool is_kernel)
      : function_(&function), tools_(&tools), is_kernel_(is_kernel), counters_(function) {}

  /// Finds the sites, and takes their counters and rows: those of all functions, before the first is changed.
  void plan(device_state& state);
  bool has_sites() const { return !sites_.empty() || is_hooked_; }
  /// @param made gets the functions that it made, for calls of its own
  void instrument(device_state const& state, llvm::SmallVectorImpl<llvm::Function*>& made);

 private:
  // What is known of the module's state where the function begins.
  struct entry_values {
    llvm::Value *is_collected, *shard, *shared;
  };
  struct counted_or_handled {
    bool is_counted = false;
    std::int64_t row = -1;  ///< none: no tool handles it
  };
  struct site_access {
    access what;
    memory_space space;
    counted_or_handled by;
  };
  struct site {
    llvm::Instruction* instruction;
    llvm::SmallVector<site_access, 2> accesses;
    hook_function event = hook_function::start;  ///< start: there is none beside the accesses
    counted_or_handled event_by;
    std::optional<matrix_product> product;  ///< of a matrix operation
    std::int64_t counter = -1;
  };

  llvm::SmallVector<access, 2> find_accesses(llvm::Instruction& instruction, device_state const& state) const;
  void plan_site(llvm::Instruction& instruction, device_state& state);
  llvm::json::Object describe(site const& each, device_state& state, unsigned first_counter) const;
  entry_values make_entry(device_state const& state, llvm::IRBuilder<>& at) const;
  void give_place(llvm::IRBuilder<>& at, llvm::Instruction const& near) const;
  void call(llvm::IRBuilder<>& at, device_tool const& tool, hook_function which, std::size_t number,
            llvm::SmallVector<llvm::Value*, 12> arguments, device_state::tool_area const* area, std::int64_t site_row);
  void add_rows(llvm::IRBuilder<>& at, llvm::SmallVector<llvm::Value*, 12>& arguments,
                device_state::tool_area const& area, std::int64_t site_row, entry_values const& at_entry) const;
  void call_hooks(site const& each, device_state const& state, entry_values const& at_entry);
  void call_in_lanes(llvm::Instruction* before, hook_function which, device_state const& state,
                     entry_values const& at_entry);
  void call_at_begin(device_state const& state, entry_values const& at_entry);
  void call_at_ends(device_state const& state, entry_values const& at_entry);
  void add_counters(llvm::IRBuilder<>& at, llvm::ArrayRef<llvm::Value*> executions, entry_values const& at_entry);
  void inline_hooks(entry_values const& at_entry, llvm::SmallVectorImpl<llvm::Function*>& made);

  llvm::Function* function_;
  device_tools const* tools_;
  bool is_kernel_;
  block_counters counters_;
  std::vector<site> sites_;
  unsigned first_counter_ = 0;
  std::size_t number_ = 0;                           ///< in the table's functions
  std::int64_t row_ = -1;                            ///< of the function; none: no tool has handlers
  bool is_hooked_ = false;                           ///< a handler gets something of it
  llvm::SmallVector<llvm::AllocaInst*, 2> threads_;  ///< [tool]: its thread_state; null: it has none
  std::vector<hook_call> calls_;
};

}  // namespace pasta::plugin
#endif
