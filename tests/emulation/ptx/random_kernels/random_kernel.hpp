// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_EMULATION_PTX_RANDOM_KERNEL_HPP
#define PASTA_TESTS_EMULATION_PTX_RANDOM_KERNEL_HPP

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

namespace pasta_test {

/// Whether lanes of one request may differ in space and size.
enum class lanes_of_a_request : std::uint8_t { alike, mixed };

/// A kernel `k(.param .u64 memory, .param .u32 threads)` with loops, branches, guards, calls and early ends in which
/// threads go ways of their own, and accesses of all kinds. What it leaves in memory does not depend on the order of
/// threads: a thread writes only to what is its own, or adds. The same seed makes the same text with every standard
/// library; each instruction has a line of its own.
///
/// Memory: `table_words` that are only read, `sum_words` that are added to, and for each thread `own_words`, the
/// first of all threads side by side, then the second …
class random_kernel {
 public:
  static constexpr std::uint32_t table_words = 4096, sum_words = 64, own_words = 8, most_threads = 128;

  random_kernel(std::uint32_t seed, lanes_of_a_request mixes) : random_(seed + 1), mixes_(mixes) {
    for (int i = 0; i < 8; ++i) random_();  // the first numbers are alike for seeds that are
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
  std::size_t below(std::size_t bound) { return random_() / 16 % bound; }
  bool chance(std::size_t percent) { return below(100) < percent; }
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    body_ += "  " + fmt::format(format, std::forward<Arguments>(arguments)...) + "\n";
  }
  std::string value() { return fmt::format("%v{}", below(4)); }
  std::string new_label() { return fmt::format("$L{}", labels_++); }
  std::string new_word() { return fmt::format("%w{}", words_++); }
  std::string new_address() { return fmt::format("%a{}", addresses_++); }

  // A predicate that is true for some threads, for all or for none.
  std::string condition() {
    std::string const made = fmt::format("%c{}", conditions_++), word = new_word();
    switch (below(5)) {
      case 0:
        line("and.b32 {}, {}, 3;", word, value());
        line("setp.eq.u32 {}, {}, 1;", made, word);
        break;
      case 1:
        line("setp.lt.u32 {}, %lane, {};", made, below(40));
        break;
      case 2:
        line("and.b32 {}, %lane, {};", word, 1 + below(31));
        line("setp.ne.u32 {}, {}, 0;", made, word);
        break;
      case 3:
        line("setp.gt.s32 {}, {}, {};", made, value(), value());
        break;
      default:
        line("setp.eq.u32 {}, %ctaid_x, {};", made, below(3));
        break;
    }
    return made;
  }
  std::string guard() {
    if (!chance(30)) return "";
    std::string const made = condition();
    return fmt::format("@{}{} ", chance(40) ? "!" : "", made);
  }
  void mix(std::string const& word) {
    std::string const into = value();
    line("mad.lo.u32 {}, {}, 1664525, {};", into, into, word);
    if (chance(50)) line("shf.l.wrap.b32 {0}, {0}, {0}, {1};", into, 1 + below(31));
  }

  // The address of the thread's own word, side by side with the others' of the same number.
  std::string own_address() {
    std::string const at = new_address();
    line("mad.wide.u32 {}, %stride, {}, %own;", at, below(own_words));
    return at;
  }
  // Somewhere in the table, at a multiple of some bytes, by the thread's values.
  std::string table_address(std::size_t bytes) {
    std::string const word = new_word(), at = new_address();
    if (chance(40)) {
      line("and.b32 {}, {}, {};", word, value(), table_words - bytes);
      line("and.b32 {0}, {0}, {1};", word, ~(static_cast<std::uint32_t>(bytes) - 1));
    } else {
      line("mul.lo.u32 {}, %lane, {};", word, bytes * (chance(60) ? 1 : below(6)));
      line("add.u32 {0}, {0}, {1};", word, bytes * below(16));
    }
    line("cvt.u64.u32 {}, {};", at, word);
    line("add.u64 {0}, {0}, %table;", at);
    return at;
  }
  // The thread's slot of 16 bytes in shared memory.
  std::string shared_address() {
    std::string const word = new_word();
    line("mov.u32 {}, tile;", word);
    line("mad.lo.u32 {0}, %tid_x, 16, {0};", word);
    return word;
  }

  void load() {
    struct form {
      char const* opcode;
      char const* to;
      std::size_t bytes;
    };
    constexpr form forms[] = {{"u32", "{0}", 4},
                              {"u8", "{0}", 1},
                              {"s16", "{0}", 2},
                              {"v2.u32", "{{{0}, {1}}}", 8},
                              {"v4.b32", "{{{0}, {1}, {2}, {3}}}", 16},
                              {"u32", "{0}", 4}};
    form const& chosen = forms[below(6)];
    std::string const a = new_word(), b = new_word(), c = new_word(), d = new_word();
    line("mov.u32 {}, 1;", a);
    line("mov.u32 {}, 2;", b);
    std::string const at = table_address(chosen.bytes), held = guard();
    std::string const to = fmt::format(fmt::runtime(chosen.to), a, b, c, d);
    line("{}ld.global{}.{} {}, [{}+{}];", held, chance(30) ? ".nc" : "", chosen.opcode, to, at,
         chosen.bytes * below(4));
    mix(a);
  }
  void several_loads() {
    std::string const at = table_address(16);
    for (std::size_t i = 2 + below(9); i > 0; --i) {
      std::string const word = new_word();
      line("ld.global.u32 {}, [{}+{}];", word, at, 4 * below(8));
      mix(word);
    }
  }
  void own_access() {
    std::string const word = new_word(), at = own_address(), v = value();
    line("mov.u32 {}, 5;", word);
    std::string const held = guard();
    switch (below(4)) {
      case 0:
        line("{}ld.global.u32 {}, [{}];", held, word, at);
        break;
      case 1:
        line("{}atom.global.add.u32 {}, [{}], {};", held, word, at, v);
        break;
      case 2:
        line("{}st.volatile.global.u32 [{}], {};", held, at, v);
        break;
      default:
        line("{}st.global.u16 [{}+2], 77;", held, at);
        break;
    }
    mix(word);
  }
  void sum() {
    std::string const word = new_word(), at = new_address();
    line("and.b32 {}, {}, {};", word, value(), chance(50) ? sum_words - 1 : 0);
    line("mad.wide.u32 {}, {}, 4, %sums;", at, word);
    std::string const held = guard();
    line("{}red.global.add.u32 [{}], {};", held, at, value());
  }
  void shared_access() {
    std::string const at = shared_address(), word = new_word(), held = guard();
    line("st.shared.u32 [{}+4], {};", at, value());
    line("mov.u32 {}, 3;", word);
    line("{}ld.shared.u32 {}, [{}+{}];", held, word, at, 4);
    mix(word);
  }
  void local_access() {
    std::string const word = new_word(), held = guard();
    line("st.local.u32 [frame+8], {};", value());
    line("mov.u32 {}, 9;", word);
    line("{}ld.local.u32 {}, [frame+8];", held, word);
    mix(word);
  }
  // Lanes may mean different spaces.
  void generic_access() {
    std::string const global = own_address(), shared = new_address(), local = new_address(), word = new_word();
    std::string const slot = shared_address();
    line("st.shared.u32 [{}], 11;", slot);
    line("st.local.u32 [frame], 12;");
    line("cvt.u64.u32 {}, {};", shared, slot);
    line("cvta.shared.u64 {0}, {0};", shared);
    line("mov.u64 {}, frame;", local);
    line("cvta.local.u64 {0}, {0};", local);
    if (mixes_ == lanes_of_a_request::mixed) {
      std::string const first = condition(), second = condition();
      line("selp.b64 {0}, {0}, {1}, {2};", global, shared, first);
      line("selp.b64 {0}, {0}, {1}, {2};", global, local, second);
    } else if (chance(60)) {
      line("mov.b64 {}, {};", global, chance(50) ? shared : local);
    }
    std::string const held = guard();
    line("mov.u32 {}, 4;", word);
    if (chance(50)) {
      line("{}ld.u32 {}, [{}];", held, word, global);
    } else {
      line("{}st.u32 [{}], {};", held, global, value());
    }
    mix(word);
  }
  void copy() {
    std::size_t const bytes = std::size_t{4} << below(3);
    std::string const from = table_address(bytes), to = shared_address(), word = new_word(), limit = new_word();
    line("st.shared.u32 [{}], 0;", to);
    line("and.b32 {}, {}, {};", limit, value(), mixes_ == lanes_of_a_request::mixed ? 15 : bytes);
    std::string const held = guard();
    line("{}cp.async.c{}.shared.global [{}], [{}], {}{};", held, bytes == 16 ? "g" : "a", to, from, bytes,
         chance(60) ? ", " + limit : "");
    line("cp.async.wait_all;");
    line("ld.shared.u32 {}, [{}];", word, to);
    mix(word);
  }
  // A pointer that goes on by a step.
  void walk() {
    std::string const at = table_address(4), turn = new_word(), word = new_word(), again = new_label();
    std::string const goes_on = fmt::format("%c{}", conditions_++);
    constexpr int steps[] = {0, 4, 32, 128, 16};
    line("mov.u32 {}, 0;", turn);
    body_ += again + ":\n";
    line("ld.global.u32 {}, [{}];", word, at);
    mix(word);
    line("add.u64 {0}, {0}, {1};", at, steps[below(5)]);
    line("add.u32 {0}, {0}, 1;", turn);
    if (chance(60)) {
      line("setp.lt.u32 {}, {}, {};", goes_on, turn, 2 + below(14));
    } else {
      std::string const most = new_word();
      line("and.b32 {}, %lane, 7;", most);
      line("setp.lt.u32 {}, {}, {};", goes_on, turn, most);
    }
    line("@{} bra {};", goes_on, again);
  }

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

  std::minstd_rand random_;
  lanes_of_a_request mixes_;
  std::size_t functions_ = 0, first_callee_ = 0, left_ = 0;
  std::size_t labels_ = 0, words_ = 0, addresses_ = 0, conditions_ = 0;
  bool is_function_ = false;
  std::string body_, text_;
};

}  // namespace pasta_test
#endif
