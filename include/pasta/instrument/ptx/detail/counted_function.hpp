// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_COUNTED_FUNCTION_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_COUNTED_FUNCTION_HPP

#include <fmt/format.h>

#include <algorithm>
#include <pasta/instrument/ptx/counters.hpp>
#include <pasta/instrument/ptx/counting_code.hpp>
#include <pasta/instrument/ptx/edits.hpp>
#include <pasta/instrument/ptx/fold_code.hpp>
#include <pasta/instrument/ptx/leaving.hpp>
#include <pasta/instrument/ptx/register_room.hpp>
#include <string>
#include <vector>

namespace pasta::ptx::detail {

/// Puts counters into one function.
class counted_function {
 public:
  // Registers of 64 bits for counters.
  static constexpr std::size_t most_in_registers = 16, most_in_little_room = 2;
  // Fewer that are come to once are added to memory at once: that is less than what a fold takes.
  static constexpr std::size_t fewest_once = 4;
  // Up to so many places find the shard's address each for itself, and no register is taken in between.
  static constexpr std::size_t most_addresses = 4;

  counted_function(module const& from, function const& body, leaving_functions const& leaving, register_room room,
                   counter_plan plan)
      : from_(&from),
        body_(&body),
        leaving_(&leaving),
        room_(room),
        plan_(std::move(plan)),
        kept_(plan_.counters.size()) {
    choose_registers();
  }
  counter_plan const& plan() const { return plan_; }
  /// @return the counter's number among the function's: of those that are come to once first, then those in
  /// registers, both side by side
  std::uint32_t number_of(std::size_t counter) const { return kept_[counter].number; }

  /// What hooks of the function need, beside the shard's address.
  struct hook_needs {
    std::string registers;                  // declarations; empty: it has no hooks
    std::string fold;                       // what they have to add where a thread may leave
    std::vector<std::size_t> kept_at = {};  // statements behind which there is more to add
  };

  /// @param first number of the function's first counter in the module
  void write(edits& changes, std::string_view state_name, hook_needs const& hooks, std::uint32_t first, warp_sum how,
             std::size_t& label) {
    std::size_t const memories = static_cast<std::size_t>(
        std::count_if(kept_.begin(), kept_.end(), [](kept const& each) { return each.where == place::memory; }));
    std::vector<std::size_t> const ways_out = find_ways_out();
    std::size_t const addresses = memories + (registers_ ? ways_out.size() : 0);
    bool const is_early = hooks.registers.empty() && registers_ && room_ == register_room::enough && !has_loops();
    bool const is_shared =
        !hooks.registers.empty() || is_early || (room_ == register_room::enough && addresses > most_addresses);
    std::string const address = shard_address(state_name, is_early ? address_use::at_end : address_use::at_once);
    changes.insert_after(from_->statements[body_->begin].text,
                         declare(registers_) + (is_shared ? address : "") + hooks.registers);

    std::vector<register_counter> folded;
    for (std::size_t i = 0; i < plan_.counters.size(); ++i) {
      counter const& each = plan_.counters[i];
      std::uint32_t const number = first + kept_[i].number;
      std::string code = "\n";
      std::size_t at = each.statement;
      switch (kept_[i].where) {
        case place::counter:
          code += count_in_register(each.guard, folded.size());
          folded.push_back({folded.size(), number});
          break;
        case place::once:
          code += count_once(each.guard, kept_[i].number);
          break;
        case place::memory:
          if (!is_shared) code += address;
          code += count_in_memory(each.guard, number);
          if (!each.guard) at = last_place(at);
          break;
      }
      changes.insert_before(from_->statements[at].text, code + "\t");
    }
    if (!registers_ && hooks.fold.empty()) return;
    for (std::size_t const at : ways_out) {
      statement const& each = from_->statements[at];
      instruction read;
      if (each.kind == statement_kind::instruction) read = read_instruction(each.text);
      // Who does not leave goes on behind what leads out, but comes to a call with its arguments.
      bool const is_call = control_of(read) == control::call;
      std::string code = "\n", stay;
      if (read.guard) {
        stay = fmt::format("$pasta_stay{}", label++);
        code += fmt::format("\t@{}{} bra \t{};\n", read.guard.is_negated ? "" : "!", read.guard.predicate, stay);
      }
      if (!is_shared) code += address;
      if (registers_) code += fold(how, folded, {registers_.once, registers_.once_counters, first}, label++);
      code += hooks.fold;
      if (read.guard && is_call) code += stay + ":\n";
      statement const& where = is_call ? from_->statements[first_argument(at, read.guard, hooks.kept_at)] : each;
      changes.insert_before(where.text, code + "\t");
      if (read.guard && !is_call) changes.insert_after(each.text, fmt::format("\n{}:", stay));
    }
  }

 private:
  // Where a counter is while its function runs.
  enum class place : std::uint8_t { memory, counter, once };
  struct kept {
    place where = place::memory;
    std::uint32_t number = 0;  // among the function's
  };

  bool has_loops() const {
    return std::any_of(plan_.counters.begin(), plan_.counters.end(),
                       [](counter const& each) { return each.loop_depth > 0; });
  }
  // The end of the statement's block, or the last place before it that all its lanes come to: what the program loads
  // does not wait there until it is known where to count.
  std::size_t last_place(std::size_t statement) const {
    for (std::size_t i = statement; i < body_->end; ++i) {
      statement_kind const kind = from_->statements[i].kind;
      if (kind == statement_kind::label || kind == statement_kind::scope_begin || kind == statement_kind::scope_end)
        return i;
      if (kind != statement_kind::instruction) continue;
      instruction const read = read_instruction(from_->statements[i].text);
      bool const is_argument = read.name == "st" && (read.has("param") || read.has("param::func"));
      if (control_of(read) != control::next || is_argument || read.name == "wgmma" || read.name == "tcgen05") return i;
    }
    return body_->end;
  }

  // In loops the innermost come first. What a thread comes to once takes a bit.
  void choose_registers() {
    std::size_t const most = room_ == register_room::enough ? most_in_registers : most_in_little_room;
    std::vector<std::size_t> looping, once;
    for (std::size_t i = 0; i < plan_.counters.size(); ++i) {
      (plan_.counters[i].loop_depth > 0 ? looping : once).push_back(i);
    }
    std::stable_sort(looping.begin(), looping.end(), [&](std::size_t a, std::size_t b) {
      return plan_.counters[a].loop_depth > plan_.counters[b].loop_depth;
    });
    // The sixteenth of the loops is worth less than 64 of the others.
    std::size_t const for_once = most == most_in_registers && once.size() >= fewest_once ? 1 : 0;
    registers_.counters = std::min(looping.size(), most - for_once);
    for (std::size_t i = 0; i < registers_.counters; ++i) kept_[looping[i]].where = place::counter;
    if (once.size() >= fewest_once) {
      std::size_t const words = 2 * (most - registers_.counters);
      once.resize(std::min(once.size(), words * bits_of_once));
      registers_.once = (once.size() + bits_of_once - 1) / bits_of_once;
      registers_.once_counters = once.size();
      for (std::size_t const i : once) kept_[i].where = place::once;
    }
    std::uint32_t number = 0;
    for (place const where : {place::once, place::counter, place::memory}) {
      for (kept& each : kept_) {
        if (each.where == where) each.number = number++;
      }
    }
  }

 public:
  /// Statements behind which the thread may be gone, and the body's `}` if control comes there.
  std::vector<std::size_t> find_ways_out() const {
    std::vector<std::size_t> found;
    bool comes_to_end = true;
    for (std::size_t i = body_->begin + 1; i < body_->end; ++i) {
      statement const& each = from_->statements[i];
      if (each.kind == statement_kind::label) comes_to_end = true;
      if (each.kind != statement_kind::instruction) continue;
      instruction const read = read_instruction(each.text);
      comes_to_end = falls_through(read);
      switch (control_of(read)) {
        case control::to_caller:
        case control::exit:
          found.push_back(i);
          break;
        case control::call:
          if (leaving_->may_leave(read)) found.push_back(i);
          break;
        default:
          break;
      }
    }
    if (comes_to_end) found.push_back(body_->end);
    return found;
  }

  // The first `st.param` that a call's fold may come before, else the call: arguments and their call stay together.
  std::size_t first_argument(std::size_t call, guard const& which, std::vector<std::size_t> const& kept_at) const {
    std::size_t first = call;
    for (std::size_t i = call - 1; i > body_->begin; --i) {
      statement const& each = from_->statements[i];
      if (each.kind == statement_kind::directive) continue;
      if (each.kind != statement_kind::instruction) break;
      instruction const read = read_instruction(each.text);
      if (read.name == "st" && (read.has("param") || read.has("param::func"))) first = i;
      // What counts in a register or decides whether there is a call stays before the fold.
      if (control_of(read) != control::next || (which && may_write(read, which.predicate)) || counts_in_register(i) ||
          std::find(kept_at.begin(), kept_at.end(), i) != kept_at.end())
        break;
    }
    return first;
  }

 private:
  bool counts_in_register(std::size_t statement) const {
    auto const& all = plan_.counters;
    auto const found = std::lower_bound(all.begin(), all.end(), statement, [](counter const& each, std::size_t number) {
      return each.statement < number;
    });
    return found != all.end() && found->statement == statement &&
           kept_[static_cast<std::size_t>(found - all.begin())].where != place::memory;
  }

  ptx::module const* from_;
  function const* body_;
  leaving_functions const* leaving_;
  register_room room_;
  counter_plan plan_;
  std::vector<kept> kept_;  // by counter
  counting_registers registers_;
};

}  // namespace pasta::ptx::detail
#endif
