// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_EVENT_ARGUMENTS_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_EVENT_ARGUMENTS_HPP

#include <fmt/format.h>

#include <pasta/instrument/ptx/control.hpp>
#include <pasta/instrument/ptx/detail/hook_arguments.hpp>
#include <pasta/instrument/ptx/hooked_event.hpp>
#include <pasta/instrument/ptx/site_event.hpp>

namespace pasta::ptx::detail {

/// Registers of the scope that an event's code is in.
inline constexpr std::string_view event_registers =
    "\t.reg .pred \t%pasta_waits;\n"
    "\t.reg .b64 \t%pasta_source, %pasta_bytes, %pasta_source_bytes;\n"
    "\t.reg .b32 \t%pasta_source_space, %pasta_value;\n";

/// What one event gives to hooks. Code that leads past them jumps to `$pasta_past`, without a number.
class event_arguments {
 public:
  event_arguments(instruction const& what, site const& where, register_scopes const& registers)
      : what_(&what), where_(&where), registers_(&registers) {}

  /// Fills in all but the places and the row. @param into its event is known
  void fill(hooked_event& into) const {
    into.why = find_obstacle(into.event);
    if (!into.why.empty()) return;
    // A guarded jump is executed by all lanes: the guard is its condition.
    if (into.event != hook_function::branch) into.skip = skip_unless(what_->guard);
    switch (into.event) {
      case hook_function::async_copy:
        fill_copy(into);
        break;
      case hook_function::barrier:
        into.operands = {number(static_cast<unsigned>(where_->scope))};
        break;
      case hook_function::branch:
        into.before = fmt::format("\tselp.u32 \t%pasta_value, {}, {};\n", what_->guard.is_negated ? "0, 1" : "1, 0",
                                  what_->guard.predicate);
        into.operands = {{"%pasta_value", false}};
        break;
      case hook_function::call:
        fill_call(into);
        break;
      default:
        fill_product(into);
    }
  }

 private:
  static hook_operand number(std::uint64_t value) { return {fmt::format("{}", value), true}; }

  std::string_view find_obstacle(hook_function event) const {
    if (where_->why != obstacle::none) return explain(where_->why);
    if (event == hook_function::async_copy) {
      for (access const& each : where_->accesses()) {
        if (auto const why = hook_arguments(*what_, each, *registers_).obstacle(); !why.empty()) return why;
      }
      if (where_->access_count != 2) return "it is no copy from one place to another";
    }
    if (event == hook_function::matrix_operation) {
      matrix_product const& made = where_->product;
      if (!to_element_type(made.a) || !to_element_type(made.b) || !to_element_type(made.d))
        return "events have no word for its element types";
      if (to_element_type(made.a) != to_element_type(made.b)) return "its two factors are of different types";
    }
    if (event == hook_function::call && where_->operand >= what_->operands.size()) return "it names no function";
    return {};
  }

  void fill_copy(hooked_event& into) const {
    access const& source = where_->all[0];
    access const& destination = where_->all[1];
    hook_arguments from(*what_, source, *registers_), to(*what_, destination, *registers_);
    into.before = from.address_code("%pasta_source") + to.address_code("%pasta_address");
    hook_operand const source_space = from.space_code("%pasta_source", "%pasta_source_space", into.before);
    hook_operand const space = to.space_code("%pasta_address", "%pasta_space", into.before);
    hook_operand size = number(destination.size_bytes);
    if (destination.size == size_source::operand) {
      std::string_view const operand = what_->operands[destination.size_operand];
      if (auto const known = number_of(operand)) {
        size = number(static_cast<std::uint64_t>(*known));
      } else {
        into.before +=
            fmt::format("\tmov.b32 \t%pasta_size, {};\n\tcvt.u64.u32 \t%pasta_bytes, %pasta_size;\n", operand);
        into.alike.emplace_back("%pasta_size");
        size = {"%pasta_bytes", false};
      }
    }
    hook_operand source_size = size;
    if (source.limit == limit::bytes) {
      into.before += fmt::format(
          "\tmin.u32 \t%pasta_value, {}, {};\n"
          "\tcvt.u64.u32 \t%pasta_source_bytes, %pasta_value;\n",
          what_->operands[source.limit_operand], size.text);
      source_size = {"%pasta_source_bytes", false};
    } else if (source.limit == limit::predicate) {
      into.before += fmt::format("\tselp.u64 \t%pasta_source_bytes, 0, {}, {};\n", size.text,
                                 what_->operands[source.limit_operand]);
      source_size = {"%pasta_source_bytes", false};
    }
    for (hook_operand const* each : {&source_space, &space}) {
      if (!each->is_number) into.alike.push_back(each->text);
    }
    into.operands = {{"%pasta_source", false}, {"%pasta_address", false}, size, source_size, source_space, space};
  }

  // The assembler gives no address of what it or the driver brings.
  static bool has_address(std::string_view function) {
    return function != "vprintf" && function != "malloc" && function != "free" && function != "__assertfail" &&
           !function.starts_with("__cuda_syscall") && !function.starts_with("__cuda_ptx_");
  }
  void fill_call(hooked_event& into) const {
    std::string_view const callee = what_->operands[where_->operand];
    if (!where_->is_indirect && !has_address(callee)) {
      into.operands = {number(0)};
      return;
    }
    into.before = fmt::format("\tmov.u64 \t%pasta_word, {};\n", callee);
    into.operands = {{"%pasta_word", false}};
  }

  void fill_product(hooked_event& into) const {
    matrix_product const& made = where_->product;
    // Of four warps that multiply together each has a quarter of the rows.
    bool const is_of_group = what_->name == "wgmma";
    into.operands = {number(is_of_group ? made.m / 4u : made.m), number(made.n), number(made.k),
                     number(static_cast<unsigned>(*to_element_type(made.a))),
                     number(static_cast<unsigned>(*to_element_type(made.d)))};
    if (made.count > 1) {
      // Lanes 0 to 3 and 16 to 19 make the first product, and so on.
      into.before = "\tshr.u32 \t%pasta_value, %pasta_lane, 2;\n\tand.b32 \t%pasta_value, %pasta_value, 3;\n";
      into.alike.emplace_back("%pasta_value");
    }
  }

  instruction const* what_;
  site const* where_;
  register_scopes const* registers_;
};

}  // namespace pasta::ptx::detail
#endif
