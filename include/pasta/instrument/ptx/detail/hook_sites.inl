// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_HOOK_SITES_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_HOOK_SITES_INL

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <pasta/instrument/ptx/classify.hpp>
#include <pasta/instrument/ptx/hook_sites.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/module_state.hpp>
#include <pasta/instrument/ptx/register_scopes.hpp>
#include <utility>

namespace pasta::ptx {
namespace detail {

/// What one access gives to hooks. Code that leads past them ends with a jump to `$pasta_past`, without a number.
class hook_arguments {
 public:
  hook_arguments(instruction const& what, access const& which, register_scopes const& registers)
      : what_(&what), which_(&which), registers_(&registers) {}

  /// Fills in all but the row.
  void fill(hooked_access& into) {
    into.why = find_obstacle();
    if (!into.why.empty()) return;
    skip_unless_guarded();
    skip_other_lanes();
    into.size = size_operand();
    make_address();
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

  // Which lanes come is the guard's to say: behind the jump they are together as at the access.
  void skip_unless_guarded() {
    if (what_->guard) {
      code_ += fmt::format("\tsetp.ne.and.u64 \t%pasta_adds, %pasta_at, 0, {}{};\n", what_->guard.is_negated ? "!" : "",
                           what_->guard.predicate);
    } else {
      code_ += "\tsetp.ne.u64 \t%pasta_adds, %pasta_at, 0;\n";
    }
    code_ += "\t@!%pasta_adds bra \t$pasta_past;\n";
  }
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
      if (registers_->bits_of(operand) == 0) {
        size.text = operand;  // a number
      } else {
        code_ += fmt::format("\tmov.b32 \t%pasta_size, {};\n", operand);
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

  void make_address() {
    address const at = address_of();
    char const* const move = registers_->bits_of(at.base) == 32 ? "cvt.u64.u32" : "mov.u64";
    if (registers_->bits_of(at.base) == 64 && !at.offset.empty()) {
      code_ += fmt::format("\tadd.s64 \t%pasta_address, {}, {};\n", at.base, at.offset);
      return;
    }
    code_ += fmt::format("\t{} \t%pasta_address, {};\n", move, at.base);
    if (!at.offset.empty()) code_ += fmt::format("\tadd.s64 \t%pasta_address, %pasta_address, {};\n", at.offset);
  }

  hook_operand space_operand() {
    if (auto const space = to_memory_space(which_->space))
      return {fmt::format("{}", static_cast<unsigned>(*space)), true};
    code_ += fmt::format(
        "\tisspacep.shared \t%pasta_adds, %pasta_address;\n"
        "\tselp.u32 \t%pasta_space, {}, {}, %pasta_adds;\n"
        "\tisspacep.local \t%pasta_adds, %pasta_address;\n"
        "\tselp.u32 \t%pasta_space, {}, %pasta_space, %pasta_adds;\n",
        static_cast<unsigned>(memory_space::shared), static_cast<unsigned>(memory_space::global),
        static_cast<unsigned>(memory_space::local));
    return {"%pasta_space", false};
  }

  instruction const* what_;
  access const* which_;
  register_scopes const* registers_;
  std::string code_;
};

inline bool is_watched(std::span<hook const> hooks, access const& which) {
  bool const is_known = which.space == state_space::generic || to_memory_space(which.space);
  return std::any_of(hooks.begin(), hooks.end(), [&](hook const& each) {
    return each.handles_accesses() &&
           (!is_known || each.watches(which.kind, which.space, which.size == size_source::text ? which.size_bytes : 0));
  });
}

// Whether all tools that watch the access are content with how often it was in order.
inline bool may_count_in_order(std::span<hook const> hooks, access const& which) {
  if (which.share != share::lane || which.size != size_source::text || which.limit != limit::none) return false;
  if (!to_memory_space(which.space) || !std::has_single_bit(which.size_bytes)) return false;
  if (which.size_bytes > pasta::detail::in_order_period) return false;
  return std::all_of(hooks.begin(), hooks.end(), [&](hook const& each) {
    std::uint32_t const period = each.word(pasta::detail::abi_address_period);
    return !each.watches(which.kind, which.space, which.size_bytes) ||
           (period != 0 && pasta::detail::in_order_period % period == 0);
  });
}

// Counts a request of a whole warp whose lanes access element after element; others go on behind it.
inline std::string count_in_order(std::uint32_t size_bytes, std::uint32_t counts, std::uint32_t row, std::size_t number,
                                  std::size_t past) {
  std::uint32_t const elements = pasta::detail::in_order_period / size_bytes;
  return fmt::format(
      "\tactivemask.b32 \t%pasta_lanes;\n"
      "\tsetp.ne.u32 \t%pasta_adds, %pasta_lanes, -1;\n"
      "\t@%pasta_adds bra \t$pasta_apart{number};\n"
      "\tmul.wide.u32 \t%pasta_word, %pasta_lane, {size};\n"
      "\tsub.s64 \t%pasta_word, %pasta_address, %pasta_word;\n"
      "\tmov.b64 \t{{%pasta_low, %pasta_high}}, %pasta_word;\n"
      "\tshfl.sync.idx.b32 \t%pasta_other, %pasta_low, 0, 0x1f, 0xffffffff;\n"
      "\tshfl.sync.idx.b32 \t%pasta_lanes, %pasta_high, 0, 0x1f, 0xffffffff;\n"
      "\tsetp.eq.u32 \t%pasta_adds, %pasta_low, %pasta_other;\n"
      "\tsetp.eq.and.u32 \t%pasta_adds, %pasta_high, %pasta_lanes, %pasta_adds;\n"
      "\tvote.sync.all.pred \t%pasta_adds, %pasta_adds, 0xffffffff;\n"
      "\t@!%pasta_adds bra \t$pasta_apart{number};\n"
      "\tshr.u32 \t%pasta_low, %pasta_low, {shift};\n"
      "\tand.b32 \t%pasta_low, %pasta_low, {last};\n"
      "\tmad.wide.u32 \t%pasta_row, %pasta_low, {counter}, %pasta_at;\n"
      "\tsetp.eq.u32 \t%pasta_adds, %pasta_lane, {leader};\n"
      "\t@%pasta_adds red.global.add.u64 \t[%pasta_row+{counts}], 1;\n"
      "\tbra \t$pasta_past{past};\n"
      "$pasta_apart{number}:\n",
      fmt::arg("number", number), fmt::arg("past", past), fmt::arg("size", size_bytes),
      fmt::arg("shift", std::countr_zero(size_bytes)), fmt::arg("last", elements - 1),
      fmt::arg("counter", counter_bytes), fmt::arg("leader", row % 32), fmt::arg("counts", counts));
}

}  // namespace detail

inline std::vector<hooked_access> plan_hooks(module const& from, function const& body, std::span<hook const> hooks,
                                             hook_totals& totals) {
  std::vector<hooked_access> found;
  if (std::none_of(hooks.begin(), hooks.end(), [](hook const& each) { return each.handles_accesses(); })) return found;
  register_scopes registers;
  for (std::size_t i = body.begin; i < body.end; ++i) {
    statement const& each = from.statements[i];
    registers.pass(each);
    if (each.kind != statement_kind::instruction) continue;
    instruction const what = read_instruction(each.text);
    site where = classify(what);
    if (where.access_count == 0) continue;
    if (access const& first = where.all[0]; first.limit_operand < what.operands.size()) {
      decide_limit(where, registers.bits_of(what.operands[first.limit_operand]) == 1 ? ".pred" : ".b32");
    }
    for (std::uint8_t number = 0; number < where.access_count; ++number) {
      access const& which = where.all[number];
      if (!detail::is_watched(hooks, which)) continue;
      hooked_access made;
      made.statement = i;
      made.number = number;
      detail::hook_arguments(what, which, registers).fill(made);
      if (made.why.empty()) {
        made.row = totals.rows++;
        if (detail::may_count_in_order(hooks, which)) {
          made.in_order = totals.in_order_bytes;
          totals.in_order_bytes += pasta::detail::in_order_period / which.size_bytes * counter_bytes;
        }
      }
      found.push_back(std::move(made));
    }
  }
  return found;
}

inline std::string hook_registers() {
  return "\t.reg .b32 \t%pasta_lane, %pasta_size, %pasta_space;\n"
         "\t.reg .b64 \t%pasta_shared, %pasta_address, %pasta_row, %pasta_row_shared, %pasta_function, "
         "%pasta_function_shared;\n"
         "\tmov.u32 \t%pasta_lane, %laneid;\n";
}

inline void write_hooks(edits& changes, module const& from, std::span<hooked_access const> accesses,
                        std::span<hook const> hooks, hook_places const& where, std::size_t& number) {
  for (hooked_access const& each : accesses) {
    if (!each.why.empty()) continue;
    statement const& at = from.statements[each.statement];
    access const which = classify(read_instruction(at.text)).all[each.number];
    std::size_t const past = number++;
    std::string code = "\n" + each.before;
    constexpr std::string_view label = "$pasta_past;";
    for (std::size_t found = code.find(label); found != std::string::npos; found = code.find(label, found + 1)) {
      code.replace(found, label.size(), fmt::format("$pasta_past{};", past));
    }
    if (each.in_order != no_counts) {
      code += detail::count_in_order(which.size_bytes, where.in_order + each.in_order, each.row, number++, past);
    }
    code +=
        fmt::format("\tld.global.nc.u64 \t%pasta_shared, [{}+{}];\n", where.state_name, offsetof(module_state, shared));
    for (std::size_t i = 0; i < hooks.size(); ++i) {
      hook const& tool = hooks[i];
      if (!tool.watches(which.kind, which.space, which.size == size_source::text ? which.size_bytes : 0)) continue;
      using enum pasta::detail::hook_abi_word;
      row_places const& place = where.rows[i];
      auto const row = [](std::uint32_t begin, std::uint64_t index, std::uint32_t bytes) {
        return begin + index * bytes;
      };
      code += fmt::format(
          "\tadd.s64 \t%pasta_row, %pasta_at, {};\n"
          "\tadd.s64 \t%pasta_row_shared, %pasta_shared, {};\n"
          "\tadd.s64 \t%pasta_function, %pasta_at, {};\n"
          "\tadd.s64 \t%pasta_function_shared, %pasta_shared, {};\n",
          row(place.sites_shard, each.row, tool.word(abi_site_shard_bytes)),
          row(place.sites_shared, each.row, tool.word(abi_site_shared_bytes)),
          row(place.functions_shard, where.function, tool.word(abi_function_shard_bytes)),
          row(place.functions_shared, where.function, tool.word(abi_function_shared_bytes)));
      hook_operand const operands[] = {{"%pasta_address", false},
                                       each.size,
                                       {fmt::format("{}", static_cast<unsigned>(which.kind)), true},
                                       each.space,
                                       {fmt::format("{}", each.row), true},
                                       {"%pasta_row", false},
                                       {"%pasta_row_shared", false},
                                       {"%pasta_function", false},
                                       {"%pasta_function_shared", false}};
      code += tool.body(operands, number++);
    }
    code += fmt::format("$pasta_past{}:\n\t", past);
    changes.insert_before(at.text, code);
  }
}

}  // namespace pasta::ptx
#endif
