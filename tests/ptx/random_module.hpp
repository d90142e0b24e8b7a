// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_PTX_RANDOM_MODULE_HPP
#define PASTA_TESTS_PTX_RANDOM_MODULE_HPP

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace pasta_test {

/// Modules of one kernel and some functions with loops, guards, indexed jumps, early ends, calls, and scopes that
/// declare names anew. The same seed makes the same text with every standard library.
class random_module {
 public:
  random_module(std::uint32_t seed, std::string_view target, std::size_t functions) : random_(seed + 1) {
    for (std::uint32_t i = 0; i < 8; ++i) random_();  // the first numbers are alike for seeds that are
    functions_ = functions;
    text_ = fmt::format(".version 7.0\n.target {}\n.address_size 64\n.extern .func other();\n", target);
    for (std::size_t i = 0; i < functions; ++i) text_ += fmt::format(".func f{}();\n", i);
    text_ += ".visible .entry k()\n";
    add_body();
    for (std::size_t i = 0; i < functions; ++i) {
      text_ += fmt::format(".func f{}()\n", i);
      add_body();
    }
  }
  std::string const& text() const { return text_; }

 private:
  std::size_t below(std::size_t bound) { return random_() / 16 % bound; }
  bool chance(std::size_t percent) { return below(100) < percent; }

  std::string predicate() { return fmt::format("%p{}", 1 + below(3)); }
  std::string guard(std::size_t percent) {
    return chance(percent) ? fmt::format("@{}{} ", chance(30) ? "!" : "", predicate()) : "";
  }
  std::string label() { return labels_[below(labels_.size())]; }

  void add_body() {
    text_ += "{\n.reg .pred %p1, %p2, %p3;\n.reg .b32 %r1;\n.reg .b64 %rd1;\n";
    if (chance(80)) text_ += "setp.ne.s32 %p1|%p2, %r1, 0;\nsetp.ne.s32 %p3, %r1, 0;\n";
    left_ = 3 + below(30);
    add_statements(0);
    if (chance(70)) text_ += chance(80) ? "ret;\n" : "exit;\n";
    text_ += "}\n";
  }

  void add_scope(std::size_t depth) {
    std::size_t const known = labels_.size();
    text_ += "{\n";
    if (chance(40)) text_ += fmt::format(".reg .pred {};\n", predicate());
    add_statements(depth + 1);
    text_ += "}\n";
    labels_.resize(known);
  }

  /// Labels have few names, so that those of different scopes are often spelt alike.
  void add_statements(std::size_t depth) {
    std::size_t const known = labels_.size(), own = below(4);
    for (std::size_t i = 0; i < own; ++i) labels_.push_back(fmt::format("L{}", i));
    std::size_t const count = own + 2 + below(9);
    bool const has_list = !labels_.empty() && chance(15);
    if (has_list) {
      text_ += "ts: .branchtargets " + label();
      for (std::size_t i = below(3); i > 0; --i) text_ += ", " + label();
      text_ += ";\n";
    }
    std::size_t placed = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (placed < own && below(count - i) < own - placed) text_ += fmt::format("L{}:\n", placed++);
      add_statement(depth, has_list);
    }
    labels_.resize(known);
  }

  void add_statement(std::size_t depth, bool has_list) {
    if (left_ > 0) --left_;
    std::size_t const which = below(100);
    if (which < 40) {
      constexpr std::string_view sites[] = {"ld.global.u32 %r1, [%rd1];", "st.shared.v2.f32 [%rd1+8], {%r1, %r1};",
                                            "atom.global.add.u32 %r1, [%rd1], 1;",
                                            "cp.async.ca.shared.global [%r1], [%rd1], 16;"};
      text_ += guard(40) + std::string(sites[below(4)]) + "\n";
    } else if (which < 57) {
      text_ += guard(20) + (chance(75) ? fmt::format("setp.ne.s32 {}, %r1, 0;\n", predicate())
                                       : fmt::format("setp.ne.s32 {}|{}, %r1, 0;\n", predicate(), predicate()));
    } else if (which < 61) {
      text_ += guard(30) + "add.s32 %r1, %r1, 1;\n";
    } else if (which < 77) {
      if (!labels_.empty()) text_ += guard(95) + "bra " + label() + ";\n";
    } else if (which < 79) {
      text_ += guard(90) + (chance(50) ? "ret;\n" : chance(70) ? "exit;\n" : "trap;\n");
    } else if (which < 85) {
      bool const is_foreign = functions_ == 0 || chance(20);
      std::string const callee = is_foreign ? "other" : fmt::format("f{}", below(functions_));
      text_ += "{\n.param .b32 x;\n";
      if (chance(30)) text_ += guard(40) + "ld.global.u32 %r1, [%rd1];\n";
      for (std::size_t i = below(3); i > 0; --i) text_ += "st.param.b32 [x], %r1;\nadd.s32 %r1, %r1, 1;\n";
      text_ += guard(60) + fmt::format("call {}, (x);\n}}\n", callee);
    } else if (which < 89) {
      if (has_list) text_ += guard(50) + "brx.idx %r1, ts;\n";
    } else if (depth < 3 && left_ > 0) {
      add_scope(depth);
    }
  }

  std::minstd_rand random_;
  std::size_t functions_ = 0, left_ = 0;
  std::vector<std::string> labels_;
  std::string text_;
};

}  // namespace pasta_test
#endif
