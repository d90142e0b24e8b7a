// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_LOOP_VALUES_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_LOOP_VALUES_HPP

#include <algorithm>
#include <optional>
#include <pasta/instrument/ptx/detail/number_of.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/loops.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <pasta/instrument/ptx/narrow_step.hpp>
#include <pasta/instrument/ptx/register_scopes.hpp>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pasta::ptx::detail {

/// How a value of 64 bits differs from one turn of a loop to the next, modulo 2^64, or one of 32 bits, modulo 2^32.
struct turn_step {
  enum class kind : std::uint8_t {
    irregular,
    unknown,  ///< by the same in all turns from coming into the loop to leaving it
    known     ///< by `bytes`; 0: not at all
  };
  kind is = kind::irregular;
  std::uint64_t bytes = 0;
  std::string_view by =
      {};  ///< unknown: a register that the loop does not write, which is the step; empty: there is none

  static turn_step of(std::uint64_t bytes) { return {kind::known, bytes}; }
  bool is_regular() const { return is != kind::irregular; }
  bool is_nothing() const { return is == kind::known && bytes == 0; }
};

/// Names of registers and symbols in an operand.
inline std::vector<std::string_view> names_in(std::string_view operand) {
  auto const is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '%' || c == '.';
  };
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < operand.size();) {
    std::size_t end = i;
    while (end < operand.size() && is_part(operand[end])) ++end;
    if (end > i && !(operand[i] >= '0' && operand[i] <= '9')) names.push_back(operand.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return names;
}

/// Special registers that are the same for a thread as long as it runs.
inline bool is_constant_register(std::string_view name) {
  constexpr std::string_view families[] = {"%tid", "%ntid", "%ctaid", "%nctaid"};
  if (name == "%laneid" || name == "%nwarpid") return true;
  return std::any_of(std::begin(families), std::end(families),
                     [&](std::string_view each) { return name.substr(0, name.find('.')) == each; });
}

/// Whether what an instruction makes depends on its operands alone.
inline bool is_pure(instruction const& what) {
  constexpr std::string_view pure[] = {"mov", "add",  "sub", "mul",  "mad",  "shl", "shr",  "and", "or",
                                       "xor", "not",  "neg", "min",  "max",  "cvt", "cvta", "bfe", "bfi",
                                       "abs", "selp", "set", "setp", "lop3", "div", "rem",  "prmt"};
  return std::find(std::begin(pure), std::end(pure), what.name) != std::end(pure);
}

/// Values in one loop of a function.
class loop_values {
 public:
  /// @param registers of the body's own scope. All must outlive this.
  loop_values(module const& from, function const& body, loops const& all, natural_loop const& in,
              register_scopes const& registers)
      : from_(&from), loops_(&all), in_(&in), registers_(&registers) {
    std::size_t const scope = body.begin;
    for (std::size_t const block : in.members) {
      for (std::size_t i = all.all_blocks().all()[block].begin; i < all.all_blocks().all()[block].end; ++i) {
        if (from.statements[i].kind != statement_kind::instruction) continue;
        instruction const what = read_instruction(from.statements[i].text);
        // What is written stands first, if anything is.
        if (what.operands.empty() || what.operands.front().starts_with('[')) continue;
        bool const is_plain = !what.guard && all.all_blocks().scope_of(i) == scope;
        for (std::string_view const name : names_in(what.operands.front())) {
          auto& found = written_[name.substr(0, name.find('.'))];
          found.is_plain = found.times++ == 0 && is_plain;
          found.statement = i, found.block = block;
        }
      }
    }
  }

  /// Of an operand of 64 bits of an instruction that comes at most once in a turn.
  /// @param narrow gets the values of 32 bits on which that depends
  turn_step find_step(std::string_view operand, std::size_t statement, std::size_t block,
                      std::vector<narrow_step>& narrow) {
    depth_ = looks_ = 0;
    statement_ = statement, block_ = block;
    narrow_.clear();
    turn_step const found = step_of(operand, statement, block);
    narrow = std::move(narrow_);
    return found;
  }

 private:
  struct writes {
    std::size_t times = 0, statement = 0, block = 0;
    bool is_plain = false;  // written once in the text, without a guard, and a name of the body's own scope
  };
  // An address is a few dozen instructions; more is not looked at.
  static constexpr int most_depth = 64, most_looks = 4096;
  struct deeper {
    explicit deeper(loop_values& of) : of_(&of) { ++of.depth_, ++of.looks_; }
    ~deeper() { --of_->depth_; }
    deeper(deeper const&) = delete;
    deeper& operator=(deeper const&) = delete;
    bool is_too_deep() const { return of_->depth_ > most_depth || of_->looks_ > most_looks; }

   private:
    loop_values* of_;
  };

  turn_step step_of(std::string_view operand, std::size_t statement, std::size_t block) {
    deeper const here(*this);
    if (here.is_too_deep()) return {};
    if (number_of(operand)) return turn_step::of(0);
    auto const written = written_.find(operand);
    if (written == written_.end()) return is_constant(operand, statement, block) ? turn_step::of(0) : turn_step();
    if (!comes_once(written->second)) return {};
    return comes_before(written->second, statement, block) ? step_of_result(written->second)
                                                           : step_of_sum(operand, written->second);
  }
  using kind = turn_step::kind;

  instruction read(std::size_t statement) const { return read_instruction(from_->statements[statement].text); }
  bool comes_once(writes const& what) const { return what.is_plain && !loops_->comes_to(*in_, what.block, what.block); }
  // Whether it is executed in the same turn, earlier.
  bool comes_before(writes const& what, std::size_t statement, std::size_t block) const {
    return what.block == block ? what.statement < statement : loops_->dominates(what.block, block);
  }
  bool comes_in_each_turn(writes const& what) const {
    return std::all_of(in_->ways_back.begin(), in_->ways_back.end(),
                       [&](std::size_t each) { return loops_->dominates(what.block, each); });
  }

  // Whether it has one value from a thread's coming into the loop to its leaving it.
  bool is_constant(std::string_view operand, std::size_t statement, std::size_t block) {
    deeper const here(*this);
    if (here.is_too_deep()) return false;
    std::vector<std::string_view> const names = names_in(operand);
    return std::all_of(names.begin(), names.end(), [&](std::string_view name) {
      std::string_view const whole = name.substr(0, name.find('.'));
      auto const written = written_.find(whole);
      if (written == written_.end())
        return !name.starts_with('%') || registers_->bits_of(whole) != 0 || is_constant_register(name);
      return comes_once(written->second) && comes_before(written->second, statement, block) &&
             has_constant_result(written->second);
    });
  }
  bool has_constant_result(writes const& by) {
    instruction const what = read(by.statement);
    if (!is_pure(what)) return false;
    return std::all_of(what.operands.begin() + 1, what.operands.end(),
                       [&](std::string_view each) { return is_constant(each, by.statement, by.block); });
  }

  // `add.s64`, `mul.lo.u32`: nothing but that.
  static std::uint32_t bits_of(instruction const& what, std::string_view first = {}) {
    std::size_t const at = first.empty() ? 0 : 1;
    std::string_view const type = what.modifier(at);
    if ((!first.empty() && what.modifier(0) != first) || !what.modifier(at + 1).empty()) return 0;
    if (type == "s64" || type == "u64" || type == "b64") return 64;
    return type == "s32" || type == "u32" || type == "b32" ? 32 : 0;
  }
  static turn_step sum(turn_step const& a, turn_step const& b) {
    if (!a.is_regular() || !b.is_regular()) return {};
    if (a.is_nothing()) return b;
    if (b.is_nothing()) return a;
    if (a.is == kind::unknown || b.is == kind::unknown) return {kind::unknown};
    return turn_step::of(a.bytes + b.bytes);
  }
  static turn_step negative(turn_step const& a) {
    return a.is == kind::unknown ? turn_step{kind::unknown} : turn_step{a.is, 0 - a.bytes};
  }

  turn_step step_of_product(std::string_view a, std::string_view b, writes const& by) {
    turn_step const first = step_of(a, by.statement, by.block), second = step_of(b, by.statement, by.block);
    return step_of_product(first, a, second, b);
  }
  static turn_step step_of_product(turn_step const& first, std::string_view a, turn_step const& second,
                                   std::string_view b) {
    if (first.is_nothing() && second.is_nothing()) return first;
    if (!first.is_regular() || !second.is_regular() || (!first.is_nothing() && !second.is_nothing())) return {};
    turn_step const& step = first.is_nothing() ? second : first;
    auto const factor = number_of(first.is_nothing() ? a : b);
    if (!factor || step.is == kind::unknown) return {kind::unknown};
    return turn_step::of(step.bytes * static_cast<std::uint64_t>(*factor));
  }
  turn_step step_of_shifted(std::string_view value, std::string_view amount, writes const& by) {
    turn_step const step = step_of(value, by.statement, by.block);
    if (!step.is_regular() || !is_constant(amount, by.statement, by.block)) return {};
    auto const bits = number_of(amount);
    if (step.is_nothing()) return step;
    if (!bits || step.is == kind::unknown) return {kind::unknown};
    return turn_step::of(*bits < 0 || *bits > 63 ? 0 : step.bytes << *bits);
  }

  // Of a register of 32 bits that is made one of 64: by its step, unless that leads beyond what 32 bits hold.
  turn_step step_of_widened(std::string_view value, bool is_signed, writes const& by) {
    turn_step const step = step_of(value, by.statement, by.block);
    if (step.is_nothing()) return step;
    if (!step.is_regular() || (step.is == kind::unknown && step.by.empty())) return {};
    auto const written = written_.find(value);
    if (written == written_.end() || !stays(written->second, by)) return {};
    narrow_step const found{value, static_cast<std::uint32_t>(step.bytes), step.by, is_signed};
    if (step.is == kind::known && found.step == 0) return turn_step::of(0);
    if (std::find(narrow_.begin(), narrow_.end(), found) == narrow_.end()) narrow_.push_back(found);
    if (step.is == kind::unknown) return {kind::unknown};
    return turn_step::of(static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(found.step)}));
  }
  // Whether what an instruction reads is the same still at the access.
  bool stays(writes const& what, writes const& read_by) const {
    if (comes_before(what, read_by.statement, read_by.block)) return true;
    return what.block == block_ ? what.statement > statement_ : !loops_->comes_to(*in_, what.block, block_);
  }
  static std::optional<bool> is_signed_word(std::string_view type) {
    if (type != "s32" && type != "u32") return std::nullopt;
    return type == "s32";
  }
  // `mul.wide.s32`, `mad.wide.u32`
  turn_step step_of_wide_product(instruction const& what, bool is_signed, writes const& by) {
    turn_step steps[2];
    for (std::size_t i = 0; i < 2; ++i) {
      std::string_view const operand = what.operands[i + 1];
      steps[i] = number_of(operand) ? turn_step::of(0) : step_of_widened(operand, is_signed, by);
    }
    return step_of_product(steps[0], what.operands[1], steps[1], what.operands[2]);
  }

  turn_step step_of_result(writes const& by) {
    instruction const what = read(by.statement);
    auto const& operands = what.operands;
    auto const step = [&](std::size_t number) { return step_of(operands[number], by.statement, by.block); };
    if (operands.size() == 2) {
      bool const passes =
          (what.name == "mov" && bits_of(what) != 0) || is_narrowed(what) ||
          (what.name == "cvta" && (bits_of(what, "global") == 64 || what.opcode == "cvta.to.global.u64"));
      if (passes && is_single(operands[1])) return step(1);
      if (what.name == "neg" && bits_of(what) != 0) return negative(step(1));
      if (auto const is_signed = is_widened(what)) return step_of_widened(operands[1], *is_signed, by);
    }
    if (operands.size() == 3) {
      if ((what.name == "add" || what.name == "sub") && bits_of(what) != 0) {
        turn_step const first = step(1), second = step(2);
        return sum(first, what.name == "add" ? second : negative(second));
      }
      if (what.name == "mul" && bits_of(what, "lo") != 0) return step_of_product(operands[1], operands[2], by);
      if (what.name == "shl" && bits_of(what) != 0) return step_of_shifted(operands[1], operands[2], by);
    }
    bool const is_wide = what.modifier(0) == "wide" && what.modifier(2).empty();
    if (auto const is_signed = is_signed_word(what.modifier(1)); is_wide && is_signed) {
      if (operands.size() == 3 && what.name == "mul") return step_of_wide_product(what, *is_signed, by);
      if (operands.size() == 4 && what.name == "mad") {
        turn_step const product = step_of_wide_product(what, *is_signed, by);
        return sum(product, step(3));
      }
    }
    if (operands.size() == 4 && what.name == "mad" && bits_of(what, "lo") != 0) {
      turn_step const product = step_of_product(operands[1], operands[2], by);
      return sum(product, step(3));
    }
    return has_constant_result(by) ? turn_step::of(0) : turn_step();
  }
  // `cvt.u32.u64`: the lowest bits.
  static bool is_narrowed(instruction const& what) {
    std::string_view const to = what.modifier(0), from = what.modifier(1);
    return what.name == "cvt" && what.modifier(2).empty() && (to == "u32" || to == "s32") &&
           (from == "u64" || from == "s64");
  }
  // `cvt.s64.s32`: whether it is signed.
  static std::optional<bool> is_widened(instruction const& what) {
    std::string_view const to = what.modifier(0);
    if (what.name != "cvt" || (to != "u64" && to != "s64") || !what.modifier(2).empty()) return std::nullopt;
    return is_signed_word(what.modifier(1));
  }
  static bool is_single(std::string_view operand) {
    std::vector<std::string_view> const names = names_in(operand);
    return names.size() == 1 && names[0].size() == operand.size();
  }

  /// A value that a thread had in the turn before, and what was added since.
  struct since {
    bool is_regular = false, has_old = false;
    turn_step added = turn_step::of(0);
  };
  // A register that a turn reads before it writes it: it must write what it has, and something constant more.
  turn_step step_of_sum(std::string_view name, writes const& by) {
    if (!comes_in_each_turn(by)) return {};
    since const found = since_last_turn(name, by);
    return found.is_regular && found.has_old ? found.added : turn_step();
  }
  since since_last_turn(std::string_view name, writes const& by) {
    instruction const what = read(by.statement);
    auto const& operands = what.operands;
    auto const part = [&](std::size_t number) { return part_since(name, operands[number], by); };
    if (operands.size() == 2 && what.name == "mov" && bits_of(what) != 0 && is_single(operands[1])) return part(1);
    if (operands.size() != 3 || bits_of(what) == 0 || (what.name != "add" && what.name != "sub")) return {};
    since const first = part(1), second = part(2);
    if (!first.is_regular || !second.is_regular) return {};
    if (what.name == "sub") {
      return {!second.has_old, first.has_old, sum(first.added, negative(second.added))};
    }
    return {!first.has_old || !second.has_old, first.has_old || second.has_old, sum(first.added, second.added)};
  }
  // Of an operand. Here a turn_step is a value that is added.
  since part_since(std::string_view name, std::string_view operand, writes const& in) {
    deeper const here(*this);
    if (here.is_too_deep()) return {};
    if (auto const number = number_of(operand)) {
      return {true, false, turn_step::of(static_cast<std::uint64_t>(*number))};
    }
    if (operand == name) return {true, true, turn_step::of(0)};
    auto const written = written_.find(operand);
    if (is_constant(operand, in.statement, in.block)) {
      bool const is_register = written == written_.end() && registers_->bits_of(operand) != 0;
      return {true, false, {kind::unknown, 0, is_register ? operand : std::string_view()}};
    }
    if (written == written_.end() || !comes_once(written->second) ||
        !comes_before(written->second, in.statement, in.block))
      return {};
    return since_last_turn(name, written->second);
  }

  ptx::module const* from_;
  loops const* loops_;
  natural_loop const* in_;
  register_scopes const* registers_;
  std::unordered_map<std::string_view, writes> written_;
  int depth_ = 0, looks_ = 0;
  std::vector<narrow_step> narrow_;        // of the access that is looked at
  std::size_t statement_ = 0, block_ = 0;  // where that is
};

}  // namespace pasta::ptx::detail
#endif
