// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0

// A program with the symbols that PASTA defines: each call arrives, once, in order, from C and from C++.
#include <string>
#include <vector>

#include "annotate_user.h"
#include "catch.hpp"

namespace {
std::vector<std::string> calls;
int attached = 0;
}  // namespace

extern "C" {
__attribute__((visibility("default"))) void pasta_annotate_push_v1(char const* name) {
  calls.push_back(std::string("push ") + name);
}
__attribute__((visibility("default"))) void pasta_annotate_pop_v1() { calls.emplace_back("pop"); }
__attribute__((visibility("default"))) void pasta_step_v1() { calls.emplace_back("step"); }
__attribute__((visibility("default"))) void pasta_start_v1() { calls.emplace_back("start"); }
__attribute__((visibility("default"))) void pasta_stop_v1() { calls.emplace_back("stop"); }
__attribute__((visibility("default"))) int pasta_is_attached_v1() { return attached; }
}

namespace {
std::vector<std::string> const expected = {"start", "push outer", "push ", "push ", "pop",
                                           "pop",   "pop",        "step",  "stop"};
}

TEST_CASE("with PASTA each call from C arrives once and in order") {
  calls.clear();
  attached = 1;
  CHECK(annotate_from_c() == 1);
  CHECK(calls == expected);
}

TEST_CASE("with PASTA each call from C++ arrives once and in order") {
  calls.clear();
  attached = 1;
  CHECK(annotate_from_cpp() == 1);
  CHECK(calls == expected);
}

TEST_CASE("is_attached is what PASTA says, as 0 or 1") {
  attached = 0;
  CHECK(annotate_from_c() == 0);
  attached = 64;
  CHECK(annotate_from_c() == 1);
  CHECK(annotate_from_cpp() == 1);
}
