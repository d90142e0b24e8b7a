// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What an instrumented module of a GPU has in memory: the state and the site table of the ptx route
/// (include/pasta/instrument/ptx/module_state.hpp, site_table.hpp), so that one reader reads both.
#ifndef PASTA_TOOLS_LLVM_DEVICE_STATE_HPP
#define PASTA_TOOLS_LLVM_DEVICE_STATE_HPP

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/JSON.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "device_tools.hpp"
#include "kernels.hpp"
#include "sites.hpp"

namespace pasta::plugin {

class device_state {
 public:
  device_state(llvm::Module& module, device_tools const& tools, annotated_functions const& annotated);

  /// Where a tool's rows are, and how large each is [bytes].
  struct tool_area {
    std::uint64_t shard_functions = 0, shard_sites = 0, shared_functions = 0, shared_sites = 0;
    std::uint32_t function_shard_bytes = 0, function_shared_bytes = 0, site_shard_bytes = 0, site_shared_bytes = 0;
  };

  annotated_functions const& annotated() const { return annotated_; }

  /// The variable, as a module_state: known before its table is.
  llvm::GlobalVariable* variable() const { return variable_; }
  /// @return the number of the first of so many counters of the module
  unsigned take_counters(unsigned count);
  /// The number of functions that were added.
  std::size_t function_count() const { return functions_.size(); }
  /// Adds places to the table. @return the number of the innermost; null without debug information
  llvm::json::Value add_places(std::vector<inlined_place> const& places);
  /// @param row -1: it has none
  void add_function(llvm::Function const& function, std::int64_t row, llvm::json::Array sites);
  std::int64_t take_row() { return rows_++; }
  std::int64_t take_function_row() { return function_rows_++; }

  /// All counters and rows are taken: where are they?
  void place_rows();
  /// From the begin of a launch's set to its shard.
  std::uint64_t shared_line_bytes() const;
  tool_area const& area_of(std::size_t tool) const { return areas_[tool]; }

  /// Puts the table into the module. Takes all of it away if nothing is counted.
  void finish();

 private:
  std::string make_text(std::string const& id) const;
  std::string make_id() const;
  void register_emulated(llvm::GlobalVariable* table, std::uint64_t bytes);

  llvm::Module* module_;
  device_tools const* tools_;
  annotated_functions annotated_;
  std::vector<tool_area> areas_;  // [tool]
  std::int64_t rows_ = 0, function_rows_ = 0;
  std::uint64_t shard_bytes_ = 0, shared_bytes_ = 0;
  llvm::GlobalVariable* variable_;
  llvm::StructType* type_;
  unsigned counters_ = 0;
  llvm::json::Array places_, functions_;
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t, std::string, std::int64_t>, std::int64_t>
      known_places_;
};

/// The GPU that a module is for: gfx90a.
std::string target_of(llvm::Module const& module);

/// Removes a variable that is kept for the plugin alone.
void remove_variable(llvm::Module& module, llvm::GlobalVariable* variable);

}  // namespace pasta::plugin
#endif
