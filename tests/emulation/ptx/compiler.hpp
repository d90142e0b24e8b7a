// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// From a function's text to code.
#ifndef PASTA_TESTS_EMULATION_PTX_COMPILER_HPP
#define PASTA_TESTS_EMULATION_PTX_COMPILER_HPP

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <pasta/instrument/ptx/module.hpp>
#include <string_view>
#include <vector>

#include "code.hpp"
#include "spelled.hpp"
#include "variables.hpp"

namespace ptx_emulation {

/// What functions share.
struct module_names {
  symbols const* variables;
  std::map<std::string_view, std::unique_ptr<code>> const* functions;
  std::uint32_t* shared_end;  // functions declare shared variables too
};

/// Sets where a function's parameters and results lie: of all functions, before one is compiled.
void declare_parameters(pasta::ptx::function const& head, code& into);

/// @throws unknown_code naming the line and the instruction
void compile_function(pasta::ptx::module const& from, pasta::ptx::function const& body, module_names const& names,
                      code& into);

/// What an instruction's operands name, at its place in a function.
class function_compiler {
 public:
  function_compiler(module_names const& names, code& into);

  /// A register that is written; `_` is the sink.
  place destination(std::string_view operand);
  /// A register, number, special register, or the address of what is declared.
  place source(std::string_view operand, scalar type);
  /// A predicate that may be written `!p`.
  place predicate(std::string_view operand, bool& is_inverted);
  /// `[%rd1+4]`, `[symbol]`: the place of its base, and the offset.
  place address(std::string_view operand, std::int64_t& offset, space& where);
  place constant(std::uint64_t value);
  std::uint32_t register_bits(std::string_view name) const;

  /// A call's operands.
  call_plan plan_call(spelled const& what, place& callee);
  std::vector<std::string_view> const& label_list(std::string_view name) const;

  void begin_scope();
  void end_scope();
  void declare(std::string_view directive);
  void declare_head(pasta::ptx::function const& head);
  /// `.branchtargets A, B;` behind a label
  void name_list(std::string_view name, std::string_view directive);
  std::uint32_t scope() const { return scopes_.back(); }
  std::uint32_t outer_scope(std::uint32_t of) const { return outer_.at(of); }
  code& into() { return *into_; }

 private:
  struct named {
    enum class sort : std::uint8_t { registers, parameter, local, shared } what = sort::registers;
    std::uint32_t first = 0, count = 0;  // registers %r0 … have a count; else the offset or row
    std::uint32_t bytes = 0;
    scalar type;
    bool is_head = false;  // of the function itself
  };
  named const* find(std::string_view name, std::uint32_t& number) const;
  void declare_registers(std::string_view directive);
  void declare_memory(declared const& each);
  call_argument argument(std::string_view operand, std::uint32_t bytes);

  module_names names_;
  code* into_;
  std::vector<std::uint32_t> scopes_{0}, outer_{0};
  std::vector<std::map<std::string_view, named, std::less<>>> declared_{1};
  std::map<std::string_view, std::vector<std::string_view>> lists_;
  std::map<std::uint64_t, std::uint32_t> constants_;
};

/// Fills in what an instruction does; the guard and the place in the text are there. @throws unknown_code
using builder = void (*)(function_compiler&, spelled const&, op&);
/// The builder of an instruction's name, else null.
builder find_builder(std::string_view name);

}  // namespace ptx_emulation
#endif
