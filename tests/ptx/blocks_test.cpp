// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <catch.hpp>
#include <pasta/instrument/ptx/blocks.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <string>

namespace {

namespace ptx = pasta::ptx;

std::string module_of(std::string const& body) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {\n" + body + "\n}";
}

/// `L: a; @p bra L; *1 | ret;`: blocks in order, each with its loop depth if that is not 0.
std::string blocks_of(std::string const& body) {
  std::string const source = module_of(body);
  ptx::module const m = ptx::read(source);
  ptx::blocks const parts(m, m.functions.at(0));
  std::string text;
  std::size_t end = m.functions[0].begin + 1;
  for (ptx::block const& each : parts.all()) {
    CHECK(each.begin == end);  // the blocks are the body, without gaps
    CHECK(each.begin < each.end);
    end = each.end;
    if (!text.empty()) text += " | ";
    for (std::size_t i = each.begin; i < each.end; ++i) {
      text += std::string(m.statements[i].text) + (i + 1 < each.end ? " " : "");
    }
    if (each.loop_depth > 0) text += " *" + std::to_string(each.loop_depth);
  }
  CHECK(end == m.functions[0].end);
  return text;
}

std::string error_of(std::string const& body) {
  std::string const source = module_of(body);
  ptx::module const m = ptx::read(source);
  try {
    ptx::blocks(m, m.functions.at(0));
  } catch (ptx::unknown_label const& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("A body without jumps is one block") {
  CHECK(blocks_of("") == "");
  CHECK(blocks_of("a; b; { c; } d;") == "a; b; { c; } d;");
  CHECK(blocks_of(".reg .b32 %r<3>; .loc 1 2 3\n a;") == ".reg .b32 %r<3>; .loc 1 2 3 a;");
}

TEST_CASE("Blocks begin at labels, and end behind whatever may lead elsewhere") {
  CHECK(blocks_of("a; L: b; M: N: c;") == "a; | L: b; | M: | N: c;");
  CHECK(blocks_of("a; bra L; b; L: c;") == "a; bra L; | b; | L: c;");
  CHECK(blocks_of("a; @%p1 bra L; b; L: c;") == "a; @%p1 bra L; | b; | L: c;");
  CHECK(blocks_of("a; @%p1 ret; b; ret; c;") == "a; @%p1 ret; | b; ret; | c;");
  CHECK(blocks_of("a; @!%p1 exit; b; exit; c;") == "a; @!%p1 exit; | b; exit; | c;");
  CHECK(blocks_of("a; @%p1 trap; b; trap; c;") == "a; @%p1 trap; | b; trap; | c;");
  CHECK(blocks_of("a; brkpt; b;") == "a; brkpt; b;");
}

TEST_CASE("A call ends a block, whatever it calls") {
  CHECK(blocks_of("a; call f; b; call (r), %rd1, (x), proto; c;") ==
        "a; call f; | b; call (r), %rd1, (x), proto; | c;");
  CHECK(blocks_of("{ .param .b32 x; st.param.b32 [x], %r1; call f, (x); } a;") ==
        "{ .param .b32 x; st.param.b32 [x], %r1; call f, (x); | } a;");
}

TEST_CASE("What leads back to a label makes a loop of all in between") {
  CHECK(blocks_of("a; L: b; @p bra L; c;") == "a; | L: b; @p bra L; *1 | c;");
  CHECK(blocks_of("L: bra L;") == "L: bra L; *1");
  CHECK(blocks_of("L: M: a; bra M;") == "L: | M: a; bra M; *1");
  CHECK(blocks_of("bra L; a; L: b;") == "bra L; | a; | L: b;");
}

TEST_CASE("Loops within loops are counted, jumps to one label once") {
  CHECK(blocks_of("L: a; M: b; @p bra M; c; @q bra L; d;") == "L: a; *1 | M: b; @p bra M; *2 | c; @q bra L; *1 | d;");
  CHECK(blocks_of("L: a; @p bra L; b; @q bra L; c;") == "L: a; @p bra L; *1 | b; @q bra L; *1 | c;");
  CHECK(blocks_of("L: a; bra L; M: b; bra M; ret;") == "L: a; bra L; *1 | M: b; bra M; *1 | ret;");
  std::string nest, jumps;
  for (int i = 0; i < 40; ++i) {
    nest += "L" + std::to_string(i) + ": ";
    jumps = "@p bra L" + std::to_string(i) + "; " + jumps;
  }
  CHECK_THAT(blocks_of(nest + "a; " + jumps + "b;"), pasta_test::contains_text("L39: a; @p bra L39; *40 | "));
}

TEST_CASE("A loop with two entries, and one that overlaps another, have a depth of at least 1 throughout") {
  // Entered at L and at M: M comes before what leads back to L.
  CHECK(blocks_of("@p bra M; L: a; M: b; @q bra L; c;") == "@p bra M; | L: a; *1 | M: b; @q bra L; *1 | c;");
  CHECK(blocks_of("L: a; M: b; @p bra L; c; @q bra M; d;") == "L: a; *1 | M: b; @p bra L; *2 | c; @q bra M; *1 | d;");
  // What is jumped to from within the loop, and jumps back, is in it though it stands behind.
  CHECK(blocks_of("L: a; @p bra T; b; ret; T: c; bra L;") == "L: a; @p bra T; *1 | b; ret; *1 | T: c; bra L; *1");
}

TEST_CASE("An indexed jump leads to each label of its list") {
  CHECK(blocks_of("ts: .branchtargets L, M; L: a; M: b; brx.idx %r1, ts; c;") ==
        "ts: .branchtargets L, M; | L: a; *1 | M: b; brx.idx %r1, ts; *2 | c;");
  CHECK(blocks_of("@p brx.idx %r1, ts; a; ts: .branchtargets\n\tA ,\n\tB; A: b; B: c;") ==
        "@p brx.idx %r1, ts; | a; | ts: .branchtargets\n\tA ,\n\tB; | A: b; | B: c;");
}

TEST_CASE("A label is that of its own scope, else of one around") {
  CHECK(blocks_of("L: a; { L: b; @p bra L; } c; @q bra L;") == "L: a; { *1 | L: b; @p bra L; *2 | } c; @q bra L; *1");
  // The second L is another one: nothing leads back.
  CHECK(blocks_of("{ L: a; } { bra L; b; L: c; }") == "{ | L: a; } { bra L; | b; | L: c; }");
  // Defined behind its use, in the scope around.
  CHECK(blocks_of("{ { @p bra L; } } a; L: b;") == "{ { @p bra L; | } } a; | L: b;");
  CHECK(blocks_of("L: { a; { @p bra L; } }") == "L: { a; { @p bra L; *1 | } }");
}

TEST_CASE("Lists of labels are told apart by their scopes") {
  CHECK(blocks_of("{ L: a; ts: .branchtargets L, M; brx.idx %r1, ts; M: b; }"
                  "{ ts: .branchtargets A, B; brx.idx %r1, ts; A: c; B: d; }") ==
        "{ | L: a; *1 | ts: .branchtargets L, M; brx.idx %r1, ts; *1 | M: b; } { | "
        "ts: .branchtargets A, B; brx.idx %r1, ts; | A: c; | B: d; }");
}

TEST_CASE("A label that is missing is named with the line that needs it") {
  CHECK(error_of("a;\nbra L;") == "the label L of line 6 is missing");
  CHECK(error_of("a;\n@p bra $L__BB0_2;\nL: b;") == "the label $L__BB0_2 of line 6 is missing");
  CHECK(error_of("brx.idx %r1, ts;") == "the list ts of line 5 is missing");
  CHECK(error_of("ts: a; brx.idx %r1, ts;") == "the list ts of line 5 is missing");
  CHECK(error_of("ts: .branchtargets L, M; L: brx.idx %r1, ts;") == "the label M of line 5 is missing");
  CHECK(error_of("bra L; { L: a; }") == "the label L of line 5 is missing");
  CHECK(error_of("{ L: a; } { bra L; }") == "the label L of line 5 is missing");
  CHECK(error_of("bra " + std::string(10000, 'x') + ";") ==
        "the label " + std::string(200, 'x') + " of line 5 is missing");
}

TEST_CASE("The scope of a statement is the innermost one around it") {
  std::string const source = module_of("a; { b; { c; } d; } e;");
  ptx::module const m = ptx::read(source);
  ptx::function const& body = m.functions.at(0);
  ptx::blocks const parts(m, body);
  std::vector<std::size_t> offsets;
  for (std::size_t i = body.begin; i <= body.end; ++i) offsets.push_back(parts.scope_of(i) - body.begin);
  // {  a  {  b  {  c  }  d  }  e  }
  CHECK(offsets == std::vector<std::size_t>{0, 0, 2, 2, 4, 4, 4, 2, 2, 0, 0});
}

}  // namespace
