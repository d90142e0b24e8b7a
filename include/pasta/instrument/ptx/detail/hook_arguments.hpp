// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_HOOK_ARGUMENTS_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_HOOK_ARGUMENTS_HPP

#include <fmt/format.h>

#include <pasta/instrument/ptx/detail/number_of.hpp>
#include <pasta/instrument/ptx/hooked_access.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/register_scopes.hpp>
#include <utility>

namespace pasta::ptx::detail {

/// Behind the jump the lanes are together for which the guard holds.
inline std::string skip_unless(guard const& which) {
  if (!which) return {};
  return fmt::format("\t@{}{} bra \t$pasta_past;\n", which.is_negated ? "" : "!", which.predicate);
}

/// Makes %pasta_adds false where the guard does not hold.
inline std::string and_guard(guard const& which) {
  if (!which) return {};
  if (!which.is_negated) return fmt::format("\tand.pred \t%pasta_adds, %pasta_adds, {};\n", which.predicate);
  return fmt::format("\tnot.pred \t%pasta_first, {};\n\tand.pred \t%pasta_adds, %pasta_adds, %pasta_first;\n",
                     which.predicate);
}

/// What one access gives to hooks. Code that leads past them jumps to `$pasta_past`, without a number.
class hook_arguments {
 public:
  hook_arguments(instruction const& what, access const& which, register_scopes const& registers)
      : what_(&what), which_(&which), registers_(&registers) {}

  /// Why it reaches no handler; empty: it does.
  std::string_view obstacle() const { return find_obstacle(); }
  /// Code that makes a register of 64 bits the access's address, and one of 32 bits its memory_space.
  std::string address_code(std::string_view into) {
    code_.clear();
    make_address(into);
    return std::move(code_);
  }
  hook_operand space_code(std::string_view address, std::string_view into, std::string& code) {
    code_.clear();
    hook_operand space = space_operand(address, into);
    code += code_;
    return space;
  }
  /// Fills in all but the row.
  void fill(hooked_access& into) {
    into.why = find_obstacle();
    if (!into.why.empty()) return;
    into.skip = skip_unless(what_->guard);
    into.holds = and_guard(what_->guard);
    if (what_->guard) into.conditions.push_back(what_->guard.predicate);
    skip_other_lanes();
    into.size = size_operand();
    into.skip += std::exchange(code_, {});
    add_limit(into);
    into.happens = happens();
    make_address();
    if (address const at = address_of(); registers_->bits_of(at.base) == 64) {
      if (auto const offset = number_of(at.offset)) into.base = at.base, into.offset = *offset;
    }
    into.space = space_operand();
    into.before = std::move(code_);
  }

 private:
  std::string_view find_obstacle() const {
    if (which_->space != state_space::generic && !to_memory_space(which_->space))
      return "handlers see global, shared and local memory alone";
    if (which_->share == share::warp || which_->share == share::warp_group)
      return "the warp makes it together, with one address";
    if (which_->size == size_source::unknown) return explain(which_->why);
    if (which_->limit == limit::bytes_or_predicate) return "whether an operand is a size or a predicate is not known";
    if (which_->address_operand >= what_->operands.size()) return "its address is no operand";
    address const at = address_of();
    if (at.base.empty() || !at.rest.empty()) return "its address is no register, symbol or number";
    if (at.base.front() == '%' && registers_->bits_of(at.base) == 0)
      return "the register of its address is not declared";
    return {};
  }
  address address_of() const { return read_address(what_->operands[which_->address_operand]); }

  void skip_other_lanes() {
    if (which_->share != share::rows) return;
    code_ += fmt::format(
        "\tmov.u32 \t%pasta_low, %laneid;\n"
        "\tsetp.ge.u32 \t%pasta_adds, %pasta_low, {};\n"
        "\t@%pasta_adds bra \t$pasta_past;\n",
        which_->lanes);
  }

  hook_operand size_operand() {
    hook_operand size{fmt::format("{}", which_->size_bytes), true};
    if (which_->size == size_source::operand) {
      std::string_view const operand = what_->operands[which_->size_operand];
      if (auto const number = number_of(operand)) {
        size.text = fmt::format("{}", *number);
      } else {
        code_ += fmt::format(
            "\tmov.b32 \t%pasta_size, {};\n"
            "\tsetp.eq.u32 \t%pasta_adds, %pasta_size, 0;\n"
            "\t@%pasta_adds bra \t$pasta_past;\n",
            operand);
        size = {"%pasta_size", false};
      }
    }
    if (which_->limit == limit::bytes) {
      code_ += fmt::format(
          "\tmin.u32 \t%pasta_size, {}, {};\n"
          "\tsetp.eq.u32 \t%pasta_adds, %pasta_size, 0;\n"
          "\t@%pasta_adds bra \t$pasta_past;\n",
          what_->operands[which_->limit_operand], size.text);
      return {"%pasta_size", false};
    }
    if (which_->limit == limit::predicate) {
      code_ += fmt::format("\t@{} bra \t$pasta_past;\n", what_->operands[which_->limit_operand]);
    }
    return size;
  }

  std::string happens() const {
    if (which_->share != share::lane) return {};
    std::string code;
    if (which_->limit == limit::bytes) {
      code = fmt::format("\tsetp.ne.u32 \t%pasta_first, {}, 0;\n", what_->operands[which_->limit_operand]);
    } else if (which_->limit == limit::predicate) {
      code = fmt::format("\tnot.pred \t%pasta_first, {};\n", what_->operands[which_->limit_operand]);
    }
    guard const& held = what_->guard;
    if (held) {
      if (code.empty()) code = "\tsetp.eq.u32 \t%pasta_first, %pasta_lane, %pasta_lane;\n";
      code += held.is_negated
                  ? fmt::format("\t@{} setp.ne.u32 \t%pasta_first, %pasta_lane, %pasta_lane;\n", held.predicate)
                  : fmt::format("\tand.pred \t%pasta_first, %pasta_first, {};\n", held.predicate);
    }
    return code.empty() ? code : code + "\tor.pred \t%pasta_adds, %pasta_adds, %pasta_first;\n";
  }
  // What may make the access smaller is part of the tests, as a guard is.
  void add_limit(hooked_access& into) const {
    if (which_->limit != limit::bytes && which_->limit != limit::predicate) return;
    std::string_view const operand = what_->operands[which_->limit_operand];
    into.whole =
        which_->limit == limit::predicate
            ? fmt::format(
                  "\tnot.pred \t%pasta_first, {};\n"
                  "\tand.pred \t%pasta_adds, %pasta_adds, %pasta_first;\n",
                  operand)
            : fmt::format("\tsetp.ge.and.u32 \t%pasta_adds, {}, {}, %pasta_adds;\n", operand, which_->size_bytes);
    into.holds += into.whole;
    if (!number_of(operand)) into.conditions.push_back(operand);
  }

  void make_address(std::string_view into = "%pasta_address") {
    address const at = address_of();
    std::uint32_t const bits = registers_->bits_of(at.base);
    if (bits == 64 && !at.offset.empty()) {
      code_ += fmt::format("\tadd.s64 \t{}, {}, {};\n", into, at.base, at.offset);
    } else if (bits == 32) {
      code_ += fmt::format(
          "\tadd.s32 \t%pasta_low, {}, {};\n"
          "\tcvt.u64.u32 \t{}, %pasta_low;\n",
          at.base, at.offset.empty() ? "0" : at.offset, into);
    } else {
      code_ += fmt::format("\tmov.u64 \t{}, {};\n", into, at.base);
      if (!at.offset.empty()) code_ += fmt::format("\tadd.s64 \t{0}, {0}, {1};\n", into, at.offset);
    }
  }

  hook_operand space_operand(std::string_view address = "%pasta_address", std::string_view into = "%pasta_space") {
    if (auto const space = to_memory_space(which_->space))
      return {fmt::format("{}", static_cast<unsigned>(*space)), true};
    code_ += fmt::format(
        "\tisspacep.shared \t%pasta_adds, {0};\n"
        "\tselp.u32 \t{1}, {2}, {3}, %pasta_adds;\n"
        "\tisspacep.local \t%pasta_adds, {0};\n"
        "\tselp.u32 \t{1}, {4}, {1}, %pasta_adds;\n",
        address, into, static_cast<unsigned>(memory_space::shared), static_cast<unsigned>(memory_space::global),
        static_cast<unsigned>(memory_space::local));
    return {std::string(into), false};
  }

  instruction const* what_;
  access const* which_;
  register_scopes const* registers_;
  std::string code_;
};

}  // namespace pasta::ptx::detail
#endif
