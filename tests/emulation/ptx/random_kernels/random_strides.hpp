// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_EMULATION_PTX_RANDOM_STRIDES_HPP
#define PASTA_TESTS_EMULATION_PTX_RANDOM_STRIDES_HPP

#include "random_accesses.hpp"

namespace pasta_test {

/// Loops of random kernels in which addresses go on by steps, and those in which they nearly do.
class random_strides : public random_accesses {
 protected:
  using random_accesses::random_accesses;

  /// One to three accesses, each with an address of its own; a loop around it comes to it several times.
  void strided_loop() {
    std::string const outer = chance(40) ? new_label() : "", rounds = new_word();
    std::string const again = new_label(), next = new_label(), end = new_label(), turn = new_word(), most = new_word();
    turn_ = turn;
    rounds_ = rounds;
    line("mov.u32 {}, 0;", rounds);
    if (!outer.empty()) body_ += outer + ":\n";
    line("mov.u32 {}, 0;", turn);
    if (chance(60)) {
      line("mov.u32 {}, {};", most, 1 + below(most_turns));
    } else {
      line("and.b32 {}, {}, {};", most, chance(50) ? "%lane" : value(), most_turns - 1);
    }
    way ways[3];
    std::size_t const count = 1 + below(3);
    for (std::size_t i = 0; i < count; ++i) ways[i] = begin_way();
    std::string const together = chance(50) ? begin_together() : "";
    body_ += again + ":\n";
    std::size_t const odd = below(10);
    if (odd == 0) {  // some lanes go around without the rest of the loop
      std::string const held = turn_condition(), go = fmt::format("%c{}", conditions_++);
      line("add.u32 {0}, {0}, 1;", turn);
      line("setp.lt.and.u32 {}, {}, {}, {};", go, turn, most_turns, held);
      line("@{} bra {};", go, again);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (odd == 1) {
        std::string const held = turn_condition();
        line("@{} bra {};", held, chance(50) ? end : next);
      }
      one_access(ways[i]);
      if (chance(15)) load();
    }
    if (odd == 2) shared_access();
    if (!together.empty()) {
      if (chance(30)) {
        several_copies(together);
      } else {
        several_accesses(together);
      }
    }
    body_ += next + ":\n";
    line("add.u32 {0}, {0}, 1;", turn);
    std::string const goes_on = fmt::format("%c{}", conditions_++);
    if (odd == 3) {
      std::string const held = turn_condition();
      line("setp.lt.and.u32 {}, {}, {}, {};", goes_on, turn, most, held);
    } else {
      line("setp.lt.u32 {}, {}, {};", goes_on, turn, most);
    }
    line("@{} bra {};", goes_on, again);
    body_ += end + ":\n";
    if (outer.empty()) return;
    std::string const more = fmt::format("%c{}", conditions_++);
    line("add.u32 {0}, {0}, 1;", rounds);
    if (chance(70)) {
      line("setp.lt.u32 {}, {}, {};", more, rounds, 2 + below(3));
    } else {
      std::string const own = new_word();
      line("and.b32 {}, {}, 3;", own, value());
      line("setp.lt.u32 {}, {}, {};", more, rounds, own);
    }
    line("@{} bra {};", more, outer);
  }

 private:
  static constexpr std::uint32_t most_turns = 16, way_bytes = table_words * 4;

  /// How an address goes on.
  struct way {
    enum class kind : std::uint8_t {
      pointer,     // the register of the address itself
      index,       // 64 bits, times a factor
      copied,      // the next value is made first, and moved at the loop's end
      narrow,      // 32 bits, made 64
      constant,    // it does not
      by_lane,     // each lane has a step of its own
      growing,     // the step changes
      sometimes,   // not in each turn
      twice,       // at two places
      guarded,     // in lanes for which a predicate holds
      begins_anew  // goes back in some turn
    } is;
    std::string at, index, step, factor;
    std::size_t constant;
    std::string narrow_index, narrow_step;
    bool is_narrow_signed;
  };

  // The loop's turn decides, or the lane, or both.
  std::string turn_condition() {
    if (chance(30)) return condition();
    std::string const made = fmt::format("%c{}", conditions_++), word = new_word();
    line("mad.lo.u32 {}, {}, {}, {};", word, turn_, 1 + below(3), below(4));
    if (chance(40)) line("add.u32 {0}, {0}, %lane;", word);
    line("and.b32 {0}, {0}, {1};", word, 1 + below(7));
    line("setp.eq.u32 {}, {}, {};", made, word, below(2));
    return made;
  }

  way begin_way() {
    constexpr std::size_t steps[] = {32, 64, 128, 96, 0, 4, 20, 256, 16, 16};
    way made{static_cast<way::kind>(below(22) % 11),
             new_address(),
             new_address(),
             new_address(),
             new_address(),
             steps[below(10)],
             new_word(),
             "",
             chance(50)};
    std::string const word = new_word();
    line("mul.lo.u32 {}, %lane, {};", word, 4 * below(5));
    line("add.u32 {0}, {0}, {1};", word, 4 * below(16));
    if (chance(50)) {  // other distances each time
      std::string const more = new_word();
      line("mul.lo.u32 {}, {}, %lane;", more, rounds_);
      line("mad.lo.u32 {0}, {1}, 4, {0};", word, more);
    }
    line("cvt.u64.u32 {}, {};", made.at, word);
    line("add.u64 {0}, {0}, %table;", made.at);
    switch (below(3)) {
      case 0:
        line("mov.u64 {}, {};", made.step, made.constant);
        break;
      case 1:
        line("mul.wide.u32 {}, %ctaid_x, {};", made.step, made.constant);
        break;
      default:
        line("mul.wide.u32 {}, %ntid_x, 4;", made.step);
        break;
    }
    if (made.is == way::kind::by_lane) {
      line("and.b32 {}, %lane, {};", word, 1 + below(3));
      line("mul.wide.u32 {}, {}, 32;", made.step, word);
    }
    line("mov.u64 {}, {};", made.index, chance(30) ? 3 : 0);
    line("mov.u64 {}, {};", made.factor, 1 + below(2));
    // Some go beyond 2^32 on their way.
    constexpr std::uint32_t begins[] = {0, 0, 0, 0xfffffffe, 0xfffffff8, 0x7ffffffc, 0x80000003, 5};
    line("mov.u32 {}, {};", made.narrow_index, begins[below(8)]);
    if (chance(30)) line("add.u32 {0}, {0}, %lane;", made.narrow_index);
    constexpr char const* narrow_steps[] = {"1", "1", "2", "-1", "-3", "8", "%step"};
    made.narrow_step = narrow_steps[below(7)];
    if (made.narrow_step == "%step") {
      made.narrow_step = new_word();
      line("mov.b32 {}, {};", made.narrow_step, chance(70) ? "%ntid_x" : "-2");
      if (chance(20)) line("and.b32 {0}, %lane, 1;", made.narrow_step);
    }
    return made;
  }

  void go_on(way& which, std::string const& amount) {
    std::string const made = new_address();
    switch (which.is) {
      case way::kind::copied:
        line("add.s64 {}, {}, {};", made, which.at, amount);
        line("mov.b64 {}, {};", which.at, made);
        break;
      case way::kind::index:
        line("add.s64 {0}, {0}, 1;", which.index);
        break;
      case way::kind::narrow:
        line("add.u32 {0}, {0}, {1};", which.narrow_index, which.narrow_step);
        break;
      case way::kind::constant:
        break;
      case way::kind::growing:
        line("add.s64 {0}, {0}, {1};", which.at, which.step);
        line("add.s64 {0}, {0}, 32;", which.step);
        break;
      case way::kind::sometimes: {
        std::string const held = turn_condition(), past = new_label();
        line("@{} bra {};", held, past);
        line("add.s64 {0}, {0}, {1};", which.at, amount);
        body_ += past + ":\n";
        break;
      }
      case way::kind::twice:
        line("add.s64 {0}, {0}, {1};", which.at, amount);
        line("add.s64 {0}, {0}, 32;", which.at);
        break;
      case way::kind::guarded: {
        std::string const held = turn_condition();
        line("@{0} add.s64 {1}, {1}, {2};", held, which.at, amount);
        break;
      }
      case way::kind::begins_anew: {
        std::string const held = turn_condition(), past = new_label();
        line("add.s64 {0}, {0}, {1};", which.at, amount);
        line("@{} bra {};", held, past);
        line("mov.u64 {}, %table;", which.at);
        body_ += past + ":\n";
        break;
      }
      default:
        line("{}.s64 {}, {}, {};", chance(70) ? "add" : "sub", which.at, which.at, amount);
        break;
    }
  }

  // Accesses that follow each other, of one address that goes on.
  std::string begin_together() {
    std::string const at = new_address(), word = new_word();
    line("mul.lo.u32 {}, %lane, {};", word, 4 * below(3));
    line("mad.wide.u32 {}, {}, 1, %table;", at, word);
    return at;
  }
  void several_accesses(std::string const& at) {
    constexpr std::size_t steps[] = {32, 64, 96, 20};
    std::string const other = new_address();
    line("add.s64 {}, {}, {};", other, at, 32 * below(4));
    for (std::size_t i = 2 + below(3); i > 0; --i) {
      std::string const word = new_word();
      std::size_t const bytes = chance(70) ? 4 : 1;
      std::string held;
      if (chance(25)) {
        held = fmt::format("@{}{} ", chance(50) ? "!" : "", turn_condition());
        line("mov.u32 {}, 1;", word);
      }
      line("{}ld.global.{} {}, [{}+{}];", held, bytes == 4 ? "u32" : "u8", word, chance(50) ? at : other,
           4 * below(20));
      mix(word);
    }
    line("add.s64 {0}, {0}, {1};", at, steps[below(4)]);
  }

  // Likewise copies, some of less than their size, or of nothing.
  void several_copies(std::string const& at) {
    constexpr std::size_t steps[] = {32, 64, 96, 16};
    for (std::size_t i = 1 + below(4); i > 0; --i) {
      std::string const limit = new_word(), to = shared_address(), from = new_address();
      line("add.s64 {}, {}, {};", from, at, 4 * below(20));
      if (chance(60)) {
        line("selp.b32 {}, {}, {}, {};", limit, chance(80) ? 4 : 2, chance(70) ? 0 : 4, turn_condition());
      } else {
        line("mov.b32 {}, 4;", limit);
      }
      line("{}cp.async.ca.shared.global [{}], [{}], 4, {};", guard(), to, from, limit);
    }
    line("cp.async.wait_all;");
    line("add.s64 {0}, {0}, {1};", at, steps[below(4)]);
  }

  void one_access(way& which) {
    std::string const amount =
        which.is == way::kind::by_lane || chance(50) ? which.step : fmt::format("{}", which.constant);
    bool const is_first = chance(50);
    if (is_first) go_on(which, amount);
    std::string at = which.at;
    if (which.is == way::kind::index) {
      at = new_address();
      if (chance(50)) {
        line("mad.lo.s64 {}, {}, {}, {};", at, which.index, which.step, which.at);
      } else {
        line("mul.lo.s64 {}, {}, {};", at, which.index, which.factor);
        line("shl.b64 {0}, {0}, {1};", at, 3 + below(4));
        line("add.s64 {0}, {1}, {0};", at, which.at);
      }
    } else if (which.is == way::kind::narrow) {
      at = new_address();
      std::string const type = which.is_narrow_signed ? "s32" : "u32", other = new_word();
      std::string index = which.narrow_index;
      if (chance(40)) {
        line("add.s32 {}, {}, {};", other, index, chance(50) ? "-2" : "3");
        index = other;
      }
      switch (below(3)) {
        case 0:
          line("mul.wide.{} {}, {}, {};", type, at, index, 4 << below(4));
          line("add.s64 {0}, {1}, {0};", at, which.at);
          break;
        case 1:
          line("mad.wide.{} {}, {}, {}, {};", type, at, index, 4 << below(4), which.at);
          break;
        default:
          line("cvt.{}.{} {}, {};", which.is_narrow_signed ? "s64" : "u64", type, at, index);
          line("shl.b64 {0}, {0}, {1};", at, 2 + below(4));
          line("add.s64 {0}, {1}, {0};", at, which.at);
          break;
      }
    }
    // What keeps it in the table is no step: where it would leave it, it is not executed.
    std::string const word = new_word(), distance = new_address(), outside = fmt::format("%c{}", conditions_++);
    std::string const past = new_label();
    line("mov.u32 {}, 1;", word);
    line("sub.u64 {}, {}, %table;", distance, at);
    line("setp.gt.u64 {}, {}, {};", outside, distance, way_bytes - 64);
    if (chance(30)) {
      std::string const held = turn_condition();
      line("or.pred {0}, {0}, {1};", outside, held);
    }
    if (chance(50)) {
      line("@{} bra {};", outside, past);
      line("ld.global.u32 {}, [{}+{}];", word, at, 4 * below(4));
    } else {
      line("@!{} ld.global.u32 {}, [{}+{}];", outside, word, at, 4 * below(4));
    }
    body_ += past + ":\n";
    mix(word);
    if (!is_first) go_on(which, amount);
  }

  std::string turn_, rounds_;
};

}  // namespace pasta_test
#endif
