// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PATCH_RUNTIME_MODULES_HPP
#define PASTA_TOOLS_PATCH_RUNTIME_MODULES_HPP

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lines.hpp"
#include "sanitizer.hpp"

namespace pasta::patch {

/// Machine code as it was loaded, as far as a report needs it.
struct loaded_code {
  std::vector<char> image;            ///< kept until the lines are read; empty: it has none
  std::vector<std::string> called;    ///< functions that are no kernels
  std::unique_ptr<line_table> lines;  ///< read when first asked for
  bool are_called_located = false;

  /// The place of an instruction and those that it is inlined at; empty where the code has no lines. Reads them when
  /// first asked.
  std::vector<source_line> find_lines(std::string const& function, std::uint64_t offset);
};

/// Where an instruction is.
struct code_place {
  std::string function;      ///< as the module spells it; "" where it is in none that is known
  std::uint64_t offset = 0;  ///< from the function's begin [bytes]
  std::shared_ptr<loaded_code> code;
};

/// The modules of one context, and at which addresses their functions lie.
class module_map {
 public:
  explicit module_map(sanitizer const& with) : with_(&with) {}

  /// @return the names of its kernels; none where it has no machine code that can be read
  std::vector<std::string> loaded(CUmodule module, std::string_view image);
  /// Forgets the module; what was found in it before stays right.
  void unloaded(CUmodule module);

  /// A kernel is about to be launched for the first time.
  void locate(CUmodule module, std::string const& function);
  /// Where all instructions lie that such a launch may execute, if that is known and they lie in one piece: the address
  /// of the first, and all their bytes.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> code_of(CUmodule module, std::string const& kernel) const;
  /// @param address of an instruction, as its patch was given it
  /// @param kernel that executed it: an address below its size that is in no known function is taken for an offset in
  /// it
  code_place find(std::uint64_t address, std::string const& kernel);

  /// Whether the module's instructions are patched.
  bool is_patched(CUmodule module) const;
  void set_patched(CUmodule module) { modules_[module].is_patched = true; }
  /// The module has counters of its own: the collector that has loaded this one reads them.
  void leave_to_host(CUmodule module) { modules_[module].is_hosts = true; }
  bool is_left_to_host(CUmodule module) const;
  /// Why they are not: half a line.
  std::string const& why_not(CUmodule module) const;
  void set_why_not(CUmodule module, std::string why_not) { modules_[module].why_not = std::move(why_not); }

 private:
  struct module_record {
    std::shared_ptr<loaded_code> code = std::make_shared<loaded_code>();
    bool is_patched = false;
    bool is_hosts = false;
    bool has_names = false;  // of its functions
    std::string why_not = "its module had no kernel that was chosen when it was loaded";
  };
  struct function_range {
    std::uint64_t end;
    std::string name;
    CUmodule module;
  };
  function_range const* range_of(std::uint64_t address, std::uint64_t& begin) const;

  sanitizer const* with_;
  std::map<CUmodule, module_record> modules_;
  std::map<std::uint64_t, function_range> ranges_;  // by their begin
};

}  // namespace pasta::patch
#endif
