// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A module that is loaded: its variables in memory, its functions ready to run.
#ifndef PASTA_TESTS_EMULATION_PTX_PROGRAM_HPP
#define PASTA_TESTS_EMULATION_PTX_PROGRAM_HPP

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "code.hpp"
#include "memory.hpp"
#include "variables.hpp"

namespace ptx_emulation {

class program {
 public:
  /// @param memory must outlive the program; its variables are in it until then
  /// @throws unknown_code
  program(std::string_view text, device_memory& memory);
  ~program();
  program(program const&) = delete;
  program& operator=(program const&) = delete;

  /// The kernel with that name, else null.
  code const* find_kernel(std::string_view name) const;
  /// A variable of global or constant memory, else null.
  symbol const* find_variable(std::string_view name) const;
  /// The function at an address, else null.
  code const* function_at(std::uint64_t address) const;
  /// Where dynamic shared memory begins [bytes].
  std::uint32_t shared_end() const { return shared_end_; }

 private:
  void declare_variables(std::string_view directive);

  std::string text_;
  device_memory* memory_;
  symbols symbols_;
  std::vector<declared> initialised_;
  std::vector<std::uint64_t> allocations_;
  std::map<std::string_view, std::unique_ptr<code>> functions_;
  std::vector<code const*> by_address_;
  std::uint32_t shared_end_;
};

}  // namespace ptx_emulation
#endif
