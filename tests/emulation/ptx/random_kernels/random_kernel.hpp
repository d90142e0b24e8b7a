// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_EMULATION_PTX_RANDOM_KERNEL_HPP
#define PASTA_TESTS_EMULATION_PTX_RANDOM_KERNEL_HPP

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "random_strides.hpp"

namespace pasta_test {

/// A kernel `k(.param .u64 memory, .param .u32 threads)` with loops, branches, guards, calls and early ends in which
/// threads go ways of their own, and accesses of all kinds. What it leaves in memory does not depend on the order of
/// threads: a thread writes only to what is its own, or adds. Each instruction has a line of its own. The same
/// seed makes the same text with the same compiler.
///
/// Memory: `table_words` that are only read, `sum_words` that are added to, and for each thread `own_words`, the
/// first of all threads side by side, then the second …
class random_kernel : public random_strides {
 public:
  enum class kind : std::uint8_t {
    mixed,
    strides  // most statements are loops in which addresses go on by steps
  };
  explicit random_kernel(std::uint32_t seed, kind of = kind::mixed) : random_strides(seed), kind_(of) {
    functions_ = below(3);
    std::string functions;
    for (std::size_t i = functions_; i-- > 0;) {  // the last ones first: a function calls those behind it
      first_callee_ = i + 1;
      functions += function(i);
    }
    first_callee_ = 0;
    text_ = ".version 7.0\n.target sm_80\n.address_size 64\n.shared .align 16 .b8 tile[2048];\n" + functions + kernel();
  }
  std::string const& text() const { return text_; }

 private:
  void branch(std::size_t depth) {
    std::string const other = new_label(), end = new_label(), held = condition();
    line("@{}{} bra {};", chance(50) ? "!" : "", held, other);
    statements(depth + 1);
    if (chance(70)) {
      line("bra {};", end);
      body_ += other + ":\n";
      statements(depth + 1);
      body_ += end + ":\n";
    } else {
      body_ += other + ":\n";
    }
  }
  void loop(std::size_t depth) {
    std::string const again = new_label(), next = new_label(), end = new_label(), turn = new_word(), most = new_word();
    std::string const goes_on = fmt::format("%c{}", conditions_++);
    line("mov.u32 {}, 0;", turn);
    line("and.b32 {}, {}, 3;", most, value());
    body_ += again + ":\n";
    statements(depth + 1);
    if (chance(30)) {
      std::string const held = condition();
      line("@{} bra {};", held, chance(50) ? end : next);
      statements(depth + 1);
    }
    body_ += next + ":\n";
    line("add.u32 {0}, {0}, 1;", turn);
    line("setp.le.u32 {}, {}, {};", goes_on, turn, most);
    line("@{} bra {};", goes_on, again);
    body_ += end + ":\n";
  }
  void indexed_jump(std::size_t depth) {
    std::string const list = new_label(), end = new_label(), word = new_word();
    std::string const targets[] = {new_label(), new_label(), new_label()};
    line("and.b32 {}, {}, 3;", word, value());
    line("{}: .branchtargets {}, {}, {}, {};", list, targets[0], targets[1], targets[2], targets[1]);
    line("brx.idx {}, {};", word, list);
    for (std::string const& each : targets) {
      body_ += each + ":\n";
      statements(depth + 1);
      if (chance(80)) line("bra {};", end);
    }
    body_ += end + ":\n";
  }
  void end_early(bool is_function) {
    std::string const held = condition(), both = fmt::format("%c{}", conditions_++);
    line("setp.eq.and.u32 {}, %lane, {}, {};", both, below(32), held);
    line("@{} {};", both, is_function || chance(50) ? "exit" : "ret");
  }
  void call() {
    std::string const word = new_word(), held = chance(40) ? condition() : "";
    line("mov.u32 {}, 1;", word);
    line("{{");
    line(".param .b64 p0;");
    line(".param .b32 p1;");
    line(".param .b32 p2;");
    line("st.param.b64 [p0], %memory;");
    line("st.param.b32 [p1], {};", value());
    line("st.param.b32 [p2], 0;");
    line("{}call (p2), f{}, (p0, p1);", held.empty() ? "" : "@" + held + " ",
         first_callee_ + below(functions_ - first_callee_));
    line("ld.param.b32 {}, [p2];", word);
    line("}}");
    mix(word);
  }

  void statements(std::size_t depth) {
    for (std::size_t count = 1 + below(4); count > 0; --count) statement(depth);
  }
  void statement(std::size_t depth) {
    bool const nests = depth < 3 && left_ > 0;
    if (left_ > 0) --left_;
    if (kind_ == kind::strides && chance(60)) return strided_loop();
    switch (std::size_t const which = below(20)) {
      case 0:
        return several_loads();
      case 1:
      case 2:
        return own_access();
      case 3:
        return sum();
      case 4:
        return shared_access();
      case 5:
        return local_access();
      case 6:
        return generic_access();
      case 7:
        return copy();
      case 8:
        return walk();
      case 9:
        return chance(40) ? end_early(is_function_) : load();
      case 10:
      case 11:
        return first_callee_ < functions_ ? call() : load();
      case 12:
        return nests ? indexed_jump(depth) : load();
      default:
        if (!nests || which > 17) return load();
        return which < 15 ? loop(depth) : branch(depth);
    }
  }

  // Registers, and what the statements have in common.
  std::string body(std::size_t statements_left) {
    body_.clear();
    words_ = addresses_ = conditions_ = 0;
    left_ = statements_left;
    line("mov.u32 %lane, %laneid;");
    line("mov.u32 %tid_x, %tid.x;");
    line("mov.u32 %ctaid_x, %ctaid.x;");
    line("mov.u32 %ntid_x, %ntid.x;");
    line("mad.lo.u32 %thread, %ctaid_x, %ntid_x, %tid_x;");
    line("mov.u32 %stride, %nctaid.x;");
    line("mul.lo.u32 %stride, %stride, %ntid_x;");
    line("mul.lo.u32 %stride, %stride, 4;");
    line("mov.u64 %table, %memory;");
    line("add.u64 %sums, %memory, {};", table_words * 4);
    line("add.u64 %own, %memory, {};", (table_words + sum_words) * 4);
    line("mad.wide.u32 %own, %thread, 4, %own;");
    for (int i = 0; i < 4; ++i) line("mad.lo.u32 %v{0}, %thread, {1}, {2};", i, 2654435761U + 2 * below(9), below(99));
    statements(0);
    statements(0);
    return fmt::format(
               "  .reg .u32 %lane, %tid_x, %ctaid_x, %ntid_x, %thread, %stride;\n  .reg .b64 %table, %sums, %own, "
               "%memory;\n"
               "  .reg .b32 %v<4>;\n  .reg .b32 %w<{}>;\n  .reg .b64 %a<{}>;\n  .reg .pred %c<{}>;\n"
               "  .local .align 8 .b8 frame[16];\n",
               words_ + 1, addresses_ + 1, conditions_ + 1) +
           "@@" + body_;
  }
  static std::string with_parameters(std::string body, std::string const& loads) {
    return body.replace(body.find("@@"), 2, loads);
  }
  std::string function(std::size_t number) {
    is_function_ = true;
    std::string made = with_parameters(
        body(6), "  .reg .b32 %given;\n  ld.param.u64 %memory, [memory];\n  ld.param.u32 %given, [given];\n");
    return fmt::format(".func (.param .b32 result) f{}(.param .b64 memory, .param .b32 given)\n{{\n", number) + made +
           "  xor.b32 %v0, %v0, %given;\n  st.param.b32 [result], %v0;\n  ret;\n}\n";
  }
  std::string kernel() {
    is_function_ = false;
    std::string made = with_parameters(body(14), "  ld.param.u64 %memory, [memory];\n");
    std::string const end = "  mad.wide.u32 %own, %stride, 7, %own;\n  st.global.u32 [%own], %v1;\n  ret;\n}\n";
    return ".visible .entry k(.param .u64 memory, .param .u32 threads)\n{\n" + made + end;
  }

  std::size_t functions_ = 0, first_callee_ = 0, left_ = 0;
  bool is_function_ = false;
  kind kind_;
  std::string text_;
};

}  // namespace pasta_test
#endif
