// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <catch.hpp>
#include <pasta/instrument/ptx/leaving.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <string>

namespace {

namespace ptx = pasta::ptx;

/// Which of a module's calls may leave, by the callee's name: `f g ` in the order of the text.
std::string leaving_calls(std::string const& functions) {
  std::string const source = ".version 8.0\n.target sm_90\n.address_size 64\n" + functions;
  ptx::module const m = ptx::read(source);
  ptx::leaving_functions const leaving(m);
  std::string names;
  for (ptx::statement const& each : m.statements) {
    if (each.kind != ptx::statement_kind::instruction) continue;
    ptx::instruction const what = ptx::read_instruction(each.text);
    if (ptx::control_of(what) != ptx::control::call || !leaving.may_leave(what)) continue;
    names += std::string(what.operands.at(ptx::callee_operand(what))) + " ";
  }
  return names;
}

TEST_CASE("A function that returns does not end its caller's thread") {
  CHECK(leaving_calls(".func f() { ret; } .entry k() { call f; ret; }").empty());
  CHECK(leaving_calls(".func (.reg .b32 r) f(.reg .b32 x) { ret; } .entry k() { call.uni (r), f, (x); ret; }").empty());
  CHECK(leaving_calls(".func f() { @p trap; ret; } .entry k() { call f; ret; }").empty());
}

TEST_CASE("exit in a callee ends the thread, guarded or not") {
  CHECK(leaving_calls(".func f() { exit; } .entry k() { call f; }") == "f ");
  CHECK(leaving_calls(".func f() { @!%p1 exit; ret; } .func g() { ret; } .entry k() { call f; call g; }") == "f ");
  CHECK(leaving_calls(".func (.reg .b32 r) f(.reg .b32 x) { exit; } .entry k() { call (r), f, (x); }") == "f ");
  // The callers come before what they call, as a declaration lets them.
  CHECK(leaving_calls(".func f(); .entry k() { call f; } .func f() { exit; }") == "f ");
}

TEST_CASE("exit ends the threads of callers' callers too") {
  CHECK(leaving_calls(".func c() { exit; } .func b() { call c; ret; } .func a() { call b; ret; } "
                      ".entry k() { call a; ret; }") == "c b a ");
  CHECK(leaving_calls(".func a(); .func b(); .func c(); .entry k() { call a; ret; } .func a() { call b; ret; } "
                      ".func b() { call c; ret; } .func c() { exit; }") == "a b c ");
}

TEST_CASE("Functions that call each other come back unless one of them exits") {
  CHECK(leaving_calls(".func f() { @p call f; ret; } .entry k() { call f; }").empty());
  CHECK(
      leaving_calls(".func g(); .func f() { call g; ret; } .func g() { call f; ret; } .entry k() { call f; }").empty());
  CHECK(leaving_calls(".func f() { @p call f; @q exit; ret; } .entry k() { call f; }") == "f f ");
  CHECK(leaving_calls(".func g(); .func f() { call g; ret; } .func g() { call f; @p exit; ret; } "
                      ".entry k() { call f; call g; }") == "g f f g ");
}

TEST_CASE("What a call through a register or into another module does is not known") {
  CHECK(leaving_calls(".func f() { ret; } .entry k() { call (r), %rd1, (x), proto; call %rd2, proto; call f; }") ==
        "%rd1 %rd2 ");
  CHECK(leaving_calls(".extern .func other(); .entry k() { call other; }") == "other ");
  CHECK(leaving_calls(".extern .func other(); .func f() { call other; ret; } .entry k() { call f; }") == "other f ");
  CHECK(leaving_calls(".func f() { call %rd1, proto; ret; } .entry k() { call f; }") == "%rd1 f ");
  CHECK(leaving_calls(".entry k() { call undeclared; }") == "undeclared ");
}

TEST_CASE("Functions of the CUDA device library come back") {
  std::string const library =
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);"
      ".extern .func (.param .b64 r) malloc(.param .b64 a); .extern .func free(.param .b64 a);"
      ".extern .func __assertfail(.param .b64 a);";
  CHECK(leaving_calls(library + ".entry k() { call (r), vprintf, (a, b); call (r), malloc, (a); call free, (a); "
                                "call.uni __assertfail, (a); }")
            .empty());
  // A module's own function of that name is judged by what it does.
  CHECK(leaving_calls(".func free() { exit; } .entry k() { call free; }") == "free ");
}

TEST_CASE("A call without a callee may leave") {
  std::string const source = ".version 8.0\n.target sm_90\n.entry k() { call; ret; }";
  CHECK(ptx::leaving_functions(ptx::read(source)).may_leave(ptx::read_instruction("call;")));
}

}  // namespace
