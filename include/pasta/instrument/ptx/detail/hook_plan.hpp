// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which accesses handlers want, and how each is looked at.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_HOOK_PLAN_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_HOOK_PLAN_HPP

#include <algorithm>
#include <bit>
#include <pasta/instrument/ptx/blocks.hpp>
#include <pasta/instrument/ptx/classify.hpp>
#include <pasta/instrument/ptx/detail/hook_arguments.hpp>
#include <pasta/instrument/ptx/detail/hook_batches.hpp>
#include <pasta/instrument/ptx/detail/live_registers.hpp>
#include <pasta/instrument/ptx/module_state.hpp>
#include <utility>
#include <vector>

namespace pasta::ptx::detail {

inline bool is_watched(std::span<hook const> hooks, access const& which) {
  bool const is_known = which.space == state_space::generic || to_memory_space(which.space);
  return std::any_of(hooks.begin(), hooks.end(), [&](hook const& each) {
    return each.handles_accesses() &&
           (!is_known || each.watches(which.kind, which.space, which.size == size_source::text ? which.size_bytes : 0));
  });
}

// Whether all tools that watch the access are content with how often it was in order.
inline bool may_count_in_order(std::span<hook const> hooks, access const& which) {
  if (which.share != share::lane || which.size != size_source::text) return false;
  if (which.limit != limit::none && which.limit != limit::bytes && which.limit != limit::predicate) return false;
  if (!to_memory_space(which.space) || !std::has_single_bit(which.size_bytes)) return false;
  if (which.size_bytes > pasta::detail::in_order_period) return false;
  return std::all_of(hooks.begin(), hooks.end(), [&](hook const& each) {
    std::uint32_t const period = each.word(pasta::detail::abi_address_period);
    return !each.watches(which.kind, which.space, which.size_bytes) ||
           (period != 0 && pasta::detail::in_order_period % period == 0);
  });
}

inline access access_of(module const& from, hooked_access const& what) {
  return classify(read_instruction(from.statements[what.statement].text)).all[what.number];
}

inline std::vector<hooked_access> find_accesses(module const& from, function const& body, std::span<hook const> hooks,
                                                std::uint32_t& rows) {
  std::vector<hooked_access> found;
  register_scopes registers;
  std::size_t depth = 0;
  for (std::size_t i = body.begin; i < body.end; ++i) {
    statement const& each = from.statements[i];
    registers.pass(each);
    if (each.kind == statement_kind::scope_begin) ++depth;
    if (each.kind == statement_kind::scope_end) --depth;
    if (each.kind != statement_kind::instruction) continue;
    instruction const what = read_instruction(each.text);
    site where = classify(what);
    if (where.access_count == 0) continue;
    if (access const& first = where.all[0]; first.limit_operand < what.operands.size()) {
      decide_limit(where, registers.bits_of(what.operands[first.limit_operand]) == 1 ? ".pred" : ".b32");
    }
    for (std::uint8_t number = 0; number < where.access_count; ++number) {
      access const& which = where.all[number];
      if (!is_watched(hooks, which)) continue;
      hooked_access made;
      made.statement = i;
      made.number = number;
      made.is_nested = depth > 1;
      hook_arguments(what, which, registers).fill(made);
      if (made.why.empty()) {
        made.row = rows++;
        if (may_count_in_order(hooks, which)) made.in_order = 0;  // its place is found when all are known
      }
      found.push_back(std::move(made));
    }
  }
  return found;
}

// The only tool that watches an access, if its counts may be kept; null otherwise.
inline hook const* keeper_of(std::span<hook const> hooks, access const& which) {
  hook const* found = nullptr;
  for (hook const& each : hooks) {
    if (!each.watches(which.kind, which.space, which.size_bytes)) continue;
    if (found != nullptr || !each.may_keep()) return nullptr;
    found = &each;
  }
  return found;
}

// Accesses in loops whose counts may be kept, those of the innermost loops first.
inline std::vector<std::size_t> find_looping(module const& from, blocks const& parts, std::span<hook const> hooks,
                                             std::span<hooked_access const> all) {
  std::vector<std::pair<std::uint32_t, std::size_t>> looping;  // depth, index
  auto part = parts.all().begin();
  for (std::size_t i = 0; i < all.size(); ++i) {
    while (part != parts.all().end() && part->end <= all[i].statement) ++part;
    if (part == parts.all().end()) break;
    bool const is_in = part->begin <= all[i].statement && part->loop_depth > 0;
    if (!is_in || all[i].in_order == no_counts || keeper_of(hooks, access_of(from, all[i])) == nullptr) continue;
    looping.emplace_back(part->loop_depth, i);
  }
  std::stable_sort(looping.begin(), looping.end(), [](auto const& a, auto const& b) { return a.first > b.first; });
  std::vector<std::size_t> found;
  found.reserve(looping.size());
  for (auto const& each : looping) found.push_back(each.second);
  return found;
}

inline void put_together(module const& from, function const& body, std::vector<hooked_access>& all, batch_kind kind,
                         std::vector<bool> const& steps = {}) {
  batches together(all, kind, steps);
  std::size_t next = 0;
  for (std::size_t i = body.begin; i < body.end; ++i) {
    statement const& each = from.statements[i];
    if (each.kind == statement_kind::label || each.kind == statement_kind::scope_begin ||
        each.kind == statement_kind::scope_end) {
      together.close();
    }
    if (each.kind != statement_kind::instruction) continue;
    for (; next < all.size() && all[next].statement == i; ++next) together.add(next);
    together.pass(read_instruction(each.text));
  }
  together.close();
}

// A value of 32 bits that the address is made of went on by its step without going beyond what they hold if it still
// does not where the step is taken back.
inline void add_narrow_steps(std::span<narrow_step const> steps, hooked_access& to) {
  for (narrow_step const& each : steps) {
    to.conditions.push_back(each.value);
    std::string code;
    if (each.is_signed && each.by.empty()) {
      auto const step = static_cast<std::int32_t>(each.step);
      std::int64_t const bound = step < 0 ? std::int64_t{INT32_MAX} + step : std::int64_t{INT32_MIN} + step;
      code = fmt::format("\tsetp.{}.and.s32 \t%pasta_adds, {}, {}, %pasta_adds;\n", step < 0 ? "le" : "ge", each.value,
                         bound);
    } else if (each.is_signed) {
      code = fmt::format(
          "\tsub.s32 \t%pasta_low, {0}, {1};\n"
          "\txor.b32 \t%pasta_low, %pasta_low, {0};\n"
          "\txor.b32 \t%pasta_high, {0}, {1};\n"
          "\tand.b32 \t%pasta_low, %pasta_low, %pasta_high;\n"
          "\tsetp.ge.and.s32 \t%pasta_adds, %pasta_low, 0, %pasta_adds;\n",
          each.value, each.by);
    } else if (!each.by.empty()) {
      code = fmt::format("\tsetp.ge.and.u32 \t%pasta_adds, {}, {}, %pasta_adds;\n", each.value, each.by);
    } else {
      bool const is_back = each.step > INT32_MAX;
      code = fmt::format("\tsetp.{}.and.u32 \t%pasta_adds, {}, {}, %pasta_adds;\n", is_back ? "lt" : "ge", each.value,
                         each.step);
    }
    if (to.has_stepped.find(code) == std::string::npos) to.has_stepped += code;
  }
}

// Of those that go on by steps one alone, or several of a block, take a register.
inline void choose_runs(module const& from, function const& body, blocks const& parts,
                        std::vector<std::size_t>& looping, std::vector<hooked_access>& all) {
  constexpr std::size_t most = 8, most_looked_at = 256;
  if (looping.empty()) return;
  loops const around(parts);
  strides steps(from, body, around);
  std::vector<bool> has_steps(all.size(), false);
  for (std::size_t const i : std::span(looping).first(std::min(looping.size(), most_looked_at))) {
    hooked_access& each = all[i];
    if (each.is_nested) continue;
    instruction const what = read_instruction(from.statements[each.statement].text);
    access const which = access_of(from, each);
    auto found = steps.find(each.statement, read_address(what.operands[which.address_operand]).base);
    if (!found || found->step.value_or(0) % pasta::detail::in_order_period != 0) continue;
    has_steps[i] = true;
    each.has_known_step = found->step.has_value();
    each.breaks = std::move(found->breaks);
    add_narrow_steps(found->narrow, each);
  }
  if (std::find(has_steps.begin(), has_steps.end(), true) == has_steps.end()) return;
  put_together(from, body, all, batch_kind::run, has_steps);

  std::size_t next = 0, places = 0;
  live_registers const live(from, body, parts);
  for (std::size_t const i : looping) {
    if (!has_steps[i] || all[i].run != hooked_access::no_run || next == most) continue;
    auto const is_of_it = [&](hooked_access const& each) {
      return &each == &all[i] || (each.batch != hooked_access::no_batch && each.batch == all[i].batch);
    };
    bool const is_known = std::all_of(
        all.begin(), all.end(), [&](hooked_access const& each) { return !is_of_it(each) || each.has_known_step; });
    for (hooked_access& each : all) {
      if (!is_of_it(each)) continue;
      each.run = next;
      each.run_place = places++;
      each.has_known_step = is_known;
      for (auto const& [name, bits] : live.before(each.statement)) each.saved.emplace_back(name, bits);
    }
    ++next;
  }
  for (hooked_access& each : all) {
    if (each.run == hooked_access::no_run) each.batch = hooked_access::no_batch;
  }
  std::erase_if(looping, [&](std::size_t i) { return all[i].run != hooked_access::no_run; });
  if (next == 0) return;
  for (hooked_access& each : all) {
    auto const part = std::find_if(parts.all().begin(), parts.all().end(),
                                   [&](block const& one) { return each.statement < one.end; });
    each.finds_again = each.run == hooked_access::no_run && part != parts.all().end() && part->loop_depth == 0;
  }
}

// Of others the latest requests of a few are kept in registers.
inline void choose_kept(std::span<std::size_t const> looping, std::vector<hooked_access>& all) {
  constexpr std::size_t most = 3;
  for (std::size_t i = 0; i < std::min(looping.size(), most); ++i) {
    all[looping[i]].kept = i;
  }
}

// Counts of accesses that are tested together lie element by element: those of one request stand side by side.
inline void place_counts(module const& from, std::vector<hooked_access>& all, hook_totals& totals) {
  for (auto each = all.begin(); each != all.end();) {
    auto const end = each->batch == hooked_access::no_batch || each->run != hooked_access::no_run
                         ? each + 1
                         : std::find_if(each, all.end(), [&](auto const& other) { return other.batch != each->batch; });
    if (each->in_order != no_counts) {
      auto const step = static_cast<std::uint32_t>(end - each) * counter_bytes;
      std::uint32_t const begin = totals.in_order_bytes;
      totals.in_order_bytes += pasta::detail::in_order_period / access_of(from, *each).size_bytes * step;
      for (auto one = each; one != end; ++one) {
        one->in_order = begin + static_cast<std::uint32_t>(one - each) * counter_bytes;
        one->in_order_step = step;
      }
    }
    each = end;
  }
}

}  // namespace pasta::ptx::detail
#endif
