// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_EMULATION_PTX_RANDOM_ACCESSES_HPP
#define PASTA_TESTS_EMULATION_PTX_RANDOM_ACCESSES_HPP

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

namespace pasta_test {

/// Whether lanes of one request may differ in space and size.
enum class lanes_of_a_request : std::uint8_t { alike, mixed };

/// Statements of a random kernel that jump nowhere else: accesses, and what makes their addresses and guards.
class random_accesses {
 public:
  static constexpr std::uint32_t table_words = 4096, sum_words = 64, own_words = 8, most_threads = 128;

 protected:
  random_accesses(std::uint32_t seed, lanes_of_a_request mixes) : random_(seed + 1), mixes_(mixes) {
    for (int i = 0; i < 8; ++i) random_();  // the first numbers are alike for seeds that are
  }
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

  std::size_t labels_ = 0, words_ = 0, addresses_ = 0, conditions_ = 0;
  std::string body_;

 private:
  std::minstd_rand random_;
  lanes_of_a_request mixes_;
};

}  // namespace pasta_test
#endif
