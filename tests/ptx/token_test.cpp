// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/instrument/ptx/token.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"

using namespace std::string_view_literals;
namespace ptx = pasta::ptx;

namespace {

/// The tokens of a text, each with a letter of its kind before it.
std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> result;
  ptx::token_reader reader(text);
  for (ptx::token t = reader.next(); t.kind != ptx::token_kind::end; t = reader.next())
    result.push_back("ewnsmu"[static_cast<int>(t.kind)] + std::string(t.text));
  return result;
}

using list = std::vector<std::string>;

}  // namespace

TEST_CASE("token: an opcode with its parts is one word") {
  CHECK(tokens_of("ld.global.L1::no_allocate.v4.f32 %f1;") == list{"wld.global.L1::no_allocate.v4.f32", "w%f1", "m;"});
  CHECK(tokens_of("cp.async.bulk.tensor.2d.shared::cluster") == list{"wcp.async.bulk.tensor.2d.shared::cluster"});
  CHECK(tokens_of("ld .global") == list{"wld", "w.global"});
}

TEST_CASE("token: words begin with a letter, a dot or a percent sign") {
  CHECK(tokens_of("%tid.x $L__BB0_1 _ .align _Z1fv$x") == list{"w%tid.x", "w$L__BB0_1", "w_", "w.align", "w_Z1fv$x"});
  CHECK(tokens_of("%r1%r2 % .") == list{"w%r1", "w%r2", "m%", "m."});
  CHECK(tokens_of("%r<9>") == list{"w%r", "m<", "n9", "m>"});
  CHECK(tokens_of("A:B::C: D::") == list{"wA", "m:", "wB::C", "m:", "wD", "m:", "m:"});
}

TEST_CASE("token: numbers of each base are whole, and have no sign") {
  for (char const* number :
       {"7", "0x1F", "3U", "0f3F800000", "0d3FF0000000000000", "017", "0b101", "8.0", "1.5e-3", "1e+7", "0xe", "1."}) {
    CHECK(tokens_of(number) == list{"n" + std::string(number)});
  }
  CHECK(tokens_of("%rd1+-4") == list{"w%rd1", "m+", "m-", "n4"});
  CHECK(tokens_of("0xe-3") == list{"n0xe", "m-", "n3"});
  CHECK(tokens_of("128.minnctapersm") == list{"n128", "w.minnctapersm"});
}

TEST_CASE("token: a backslash in a string means itself") {
  // As in ptxas, which takes "a\" for a whole string.
  CHECK(tokens_of(R"("a\" "b;{//")") == list{R"(s"a\")", R"(s"b;{//")"});
  CHECK(tokens_of("\"a\nb\"") == list{"s\"a\nb\""});
}

TEST_CASE("token: blanks and comments of each kind part words and are not tokens") {
  CHECK(tokens_of("a\tb\r\nc\fd\ve\0f"sv) == list{"wa", "wb", "wc", "wd", "we", "wf"});
  CHECK(tokens_of("a//x \"\n/*y*/b/* /* */c // z") == list{"wa", "wb", "wc"});
  CHECK(tokens_of("a/b") == list{"wa", "m/", "wb"});
  CHECK(tokens_of("//").empty());
  CHECK(tokens_of("").empty());
}

TEST_CASE("token: what does not end is told as that") {
  CHECK(tokens_of("a \"b c") == list{"wa", "u\"b c"});
  CHECK(tokens_of("a /* b *") == list{"wa", "u/* b *"});
  CHECK(tokens_of("/*/") == list{"u/*/"});
}

TEST_CASE("token: bytes of other alphabets are letters") {
  CHECK(tokens_of("\xc3\xa9\xff 1") == list{"w\xc3\xa9\xff", "n1"});
}

TEST_CASE("token: trim takes blanks and comments away on both sides only") {
  CHECK(ptx::trim(" /* a */ b /* c */ d // e\n") == "b /* c */ d");
  CHECK(ptx::trim(" // a").empty());
}
