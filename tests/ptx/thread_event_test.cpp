// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <catch.hpp>

#include "hook_builder.hpp"

using namespace hook_builder;

namespace {

/// A function that a kernel calls, and that may end the thread.
constexpr std::string_view leaving =
    ".func f()\n{\n.reg .pred %p<3>;\n.reg .b32 %r<5>;\n.reg .b64 %rd<5>;\nld.global.u32 %r1, [%rd1];\n@%p1 "
    "exit;\nret;\n}\n";
constexpr std::string_view calls_it = "call.uni f;\nld.global.u32 %r1, [%rd1];\nret;";

}  // namespace

TEST_CASE("Threads begin once, behind the begin of a kernel") {
  made const result = instrument(module_of(calls_it, leaving), one_hook({{hook_function::thread_enter}}));
  CHECK(occurrences(result.text, "add.s64 \t%pasta_function, %pasta_at") == 1);
  CHECK(is_in_order(result.text, {".func f()", ".entry k()\n{", "add.s64 \t%pasta_function, %pasta_at",
                                  ".reg .pred %p<5>", "call.uni f;"}));
  CHECK(result.table["rows"][0]["function_rows"] == 2);
  CHECK(result.table["rows"][0]["site_rows"] == 0);
  CHECK(result.table["functions"][1]["sites"].empty());
}

TEST_CASE("Threads end once, wherever they do") {
  auto const ends = [](std::string_view body, std::string_view before = "") {
    std::string const text = instrument(module_of(body, before), one_hook({{hook_function::thread_exit}})).text;
    return occurrences(text, "add.s64 \t%pasta_function, %pasta_at");
  };
  CHECK(ends("ret;") == 1);
  CHECK(ends("@%p1 exit;\nret;") == 2);
  CHECK(ends("@%p1 ret;\nmov.u32 %r1, 5;") == 2);  // and behind the last instruction
  CHECK(ends("trap;") == 0);
  // In a function at `exit` alone; not at the call of what may end the thread.
  CHECK(ends(calls_it, leaving) == 2);
  std::string const text =
      instrument(module_of("@!%p1 exit;\nret;"), one_hook({{hook_function::thread_exit, hook_function::branch}})).text;
  // The branch is decided by all lanes; those that stay do not end.
  CHECK(is_in_order(text, {"selp.u32 \t%pasta_value, 0, 1, %p1;", "@%p1 bra \t$pasta_stay_on",
                           "add.s64 \t%pasta_function, %pasta_at", "@!%p1 exit;", "$pasta_stay_on"}));
}

TEST_CASE("A thread's state is made at the begin, taken and returned, and merged at the end") {
  made const result = instrument(module_of("ld.global.u32 %r1, [%rd1];\n@%p1 exit;\nret;"),
                                 one_hook({{hook_function::memory_access}, {}, 2}));
  CHECK(occurrences(result.text, ".reg .b32 \t%pasta_state_watcher_<2>;") == 1);
  CHECK(is_in_order(
      result.text,
      {"mov.u32 %pasta_h_r20, 100;", "mov.b32 \t%pasta_state_watcher_0, %pasta_h_r20;", "mov.u32 %pasta_h_r20, 101;",
       "mov.b32 \t%pasta_state_watcher_1, %pasta_h_r20;", "mov.b32 \t%pasta_in1, %pasta_state_watcher_1;",
       "mov.b32 \t%pasta_h_r20, %pasta_in0;", "add.u32 %pasta_h_r20, %pasta_h_r20, 1;",
       "mov.b32 \t%pasta_state_watcher_0, %pasta_h_r20;", "ld.global.u32 %r1, [%rd1];", "@!%p1 bra \t$pasta_stay_on",
       "mov.b32 \t%pasta_state_watcher_1", "@%p1 exit;", "mov.b32 \t%pasta_state_watcher_1", "ret;"}));
  // One at the begin, at the access, and at both ends.
  CHECK(occurrences(result.text, "mov.b32 \t%pasta_state_watcher_1, %pasta_h_r20;") == 4);
}

TEST_CASE("A function has a state of its own, merged before it returns; a call that may end the thread merges it too") {
  std::string const text =
      instrument(module_of(calls_it, leaving), one_hook({{hook_function::memory_access}, {}, 1})).text;
  CHECK(occurrences(text, ".reg .b32 \t%pasta_state_watcher_<1>;") == 2);
  // f: start, access, exit, ret. k: start, before the call, access, ret.
  CHECK(occurrences(text, "mov.b32 \t%pasta_state_watcher_0, %pasta_h_r20;") == 8);
  std::string const merges = "add.s64 \t%pasta_function, %pasta_at";
  CHECK(is_in_order(text,
                    {".entry k()", "%pasta_h_r20, 100;", merges, "call.uni f;", merges, "ld.global", merges, "ret;"}));
}

TEST_CASE("What a call's event adds to a state is merged before a call that may end the thread") {
  std::string const body = "{\n.param .b32 p0;\nst.param.b32 [p0], %r1;\nmov.u32 %r2, 5;\ncall.uni g, (p0);\n}\nret;";
  std::string const text =
      instrument(module_of(body, ".extern .func g(.param .b32 a);\n"), one_hook({{hook_function::call}, {}, 1})).text;
  CHECK(is_in_order(
      text, {"mov.b64 \t%pasta_h_rd0, %pasta_word;", "mov.b32 \t%pasta_state_watcher_0, %pasta_h_r20;",
             "%pasta_function_shared, %pasta_shared", "%pasta_state_watcher_0, %pasta_h_r20;", "call.uni g, (p0);"}));
}

TEST_CASE("A function in which nothing reaches a handler has no state") {
  made const result = instrument(
      module_of("ret;", ".entry j()\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\nld.global.u32 %r1, [%rd1];\nret;\n}\n"),
      one_hook({{hook_function::memory_access}, {}, 1}));
  CHECK(occurrences(result.text, ".reg .b32 \t%pasta_state_watcher_<1>;") == 1);
  CHECK(is_in_order(result.text, {"%pasta_state_watcher_<1>", ".entry k()"}));
}

TEST_CASE("Beside setmaxnreg a state of 16 bytes is kept, and a larger one is not") {
  std::string const body = "setmaxnreg.inc.sync.aligned.u32 40;\nld.global.u32 %r1, [%rd1];\nret;";
  made const small = instrument(module_of(body), one_hook({{hook_function::memory_access}, {}, 4}));
  CHECK(has(small.text, "%pasta_state_watcher_<4>"));
  CHECK_FALSE(small.table["functions"][0].contains("without"));
  std::vector<std::string> const none_to_spare{"k"};
  std::vector<ptx::hook> const hooks = one_hook({{hook_function::memory_access}, {}, 5});
  std::string const source = module_of("ld.global.u32 %r1, [%rd1];\nret;");
  CHECK(ptx::instrument(ptx::read(source), hooks, {nullptr, none_to_spare}).table.functions[0].without.size() == 1);
  CHECK(ptx::instrument(ptx::read(source), hooks).table.functions[0].without.empty());
  made const large = instrument(module_of(body), hooks);
  CHECK_FALSE(has(large.text, "%pasta_state_watcher"));
  CHECK(large.table["functions"][0]["without"] ==
        nlohmann::json::parse(R"([{"tool": "watcher", "why": "its thread_state of 20 bytes does not fit in the )"
                              R"(registers: all tools have 16 bytes beside setmaxnreg, and in kernels that have no )"
                              R"(registers to spare"}])"));
}

TEST_CASE("States of all tools in a function have 128 bytes, and who does not fit is told") {
  std::vector<ptx::hook> hooks;
  for (char const* name : {"first", "second", "third"})
    hooks.emplace_back(name, hook_text({{hook_function::memory_access}, {}, 16}));
  made const result = instrument(module_of("ld.global.u32 %r1, [%rd1];\nret;"), hooks);
  CHECK(has(result.text, "%pasta_state_second_<16>"));
  CHECK_FALSE(has(result.text, "%pasta_state_third"));
  CHECK(result.table["functions"][0]["without"].size() == 1);
  CHECK(result.table["functions"][0]["without"][0]["tool"] == "third");
  CHECK(result.site(0)["accesses"][0]["row"] == 0);  // of the others
}

TEST_CASE("A tool that gets nothing of a function takes nothing of its registers") {
  std::vector<ptx::hook> hooks;
  hooks.emplace_back("first", hook_text({{hook_function::barrier}, {}, 16}));
  for (char const* name : {"second", "third"})
    hooks.emplace_back(name, hook_text({{hook_function::memory_access}, {}, 16}));
  made const result = instrument(module_of("ld.global.u32 %r1, [%rd1];\nret;"), hooks);
  CHECK_FALSE(has(result.text, "%pasta_state_first"));
  CHECK(has(result.text, "%pasta_state_third_<16>"));
  CHECK_FALSE(result.table["functions"][0].contains("without"));
}

TEST_CASE("A hook that is called takes the state and returns it") {
  std::string body;
  for (int i = 0; i < 9; ++i) body += "ld.global.u32 %r1, [%rd1];\n";
  std::string const text = instrument(module_of(body + "ret;"), one_hook({{hook_function::memory_access}, {}, 2})).text;
  CHECK(has(text, ".param .b32 pasta_q6, .param .align 4 .b8 pasta_state[8])\n"));
  CHECK(has(text, "_fold(.param .b64 pasta_q0, .param .b64 pasta_q1, .param .align 4 .b8 pasta_state[8])\n"));
  CHECK(occurrences(text, "\tld.param.b32 \t%pasta_state_watcher_1, [pasta_result+4];\n") == 10);
  CHECK(occurrences(text, "\tst.param.b32 \t[pasta_state+4], %pasta_state_watcher_1;\n") == 10);
}

TEST_CASE("A state that a hook does not take as words is refused by name") {
  std::string const text = hook_text({{hook_function::memory_access}, {}, 2});
  auto const error_of = [&](std::string_view part, std::string_view with) {
    std::string changed = text;
    std::size_t const at = changed.find(part);
    REQUIRE(at != std::string::npos);
    changed.replace(at, part.size(), with);
    try {
      ptx::hook("watcher", changed);
    } catch (ptx::bad_hook const& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  CHECK(error_of("ld.param.u32 %r20, [s+4]", "ld.param.u8 %r20, [s+4]") ==
        "the hook of watcher reads a parameter in an unknown way (line 22)");
  CHECK(error_of("[s+4]", "[s+6]") == "the hook of watcher reads a parameter in an unknown way (line 22)");
  CHECK(error_of("[s+4]", "[s+8]") == "the hook of watcher reads a parameter in an unknown way (line 22)");
  CHECK(error_of("st.param.b32 [r+4]", "st.param.b16 [r+4]") ==
        "the hook of watcher returns something in an unknown way (line 24)");
  CHECK(error_of(".b8 s[8]", ".b8 s[12]") == "the hook of watcher has other parameters (line 5)");
  CHECK(error_of("pasta_hook_fold", "pasta_hook_hold") == "the hook of watcher has no function pasta_hook_fold");
  CHECK(error_of("0, 0, 0, 2}", "0, 0, 0, 33}") == "the hook of watcher keeps a thread_state of more than 128 bytes");
}
