// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/instrument/ptx/module.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "lossless.hpp"

using namespace std::string_literals;
using namespace std::string_view_literals;
namespace ptx = pasta::ptx;
using ptx::statement_kind;

namespace {

std::string const head = ".version 8.0\n.target sm_90\n.address_size 64\n";
constexpr std::size_t head_statements = 3;

struct piece {
  statement_kind kind;
  std::string text;
  bool operator==(piece const&) const = default;
};
std::ostream& operator<<(std::ostream& out, piece const& p) { return out << int(p.kind) << ' ' << p.text; }

/// The statements behind the head, after a look at whether anything was lost.
std::vector<piece> pieces_of(std::string const& text) {
  std::string const source = head + text;
  CHECK(pasta_test::find_fault(source) == "");
  auto const m = ptx::read(source);
  std::vector<piece> result;
  for (std::size_t i = head_statements; i < m.statements.size(); ++i)
    result.push_back({m.statements[i].kind, std::string(m.statements[i].text)});
  return result;
}

/// Those in a kernel's body.
std::vector<piece> body_of(std::string const& body) {
  auto all = pieces_of(".entry k() {\n" + body + "\n}");
  REQUIRE(all.size() >= 3);
  CHECK(all.front() == piece{statement_kind::function_head, ".entry k()"});
  CHECK(all.back() == piece{statement_kind::scope_end, "}"});
  return {all.begin() + 2, all.end() - 1};
}

std::vector<piece> directives(std::vector<std::string> const& texts) {
  std::vector<piece> result;
  for (auto const& text : texts) result.push_back({statement_kind::directive, text});
  return result;
}

std::string error_of(std::string_view source) {
  try {
    ptx::read(source);
  } catch (ptx::read_error const& error) {
    CHECK(std::string(error.what()).rfind("line " + std::to_string(error.line) + ": ", 0) == 0);
    return error.what();
  }
  return "no error";
}

using list = std::vector<std::string_view>;

}  // namespace

TEST_CASE("module: version, target and address size") {
  auto const m = ptx::read(".version 8.7\n.target sm_90a, texmode_independent, debug\n.address_size 64\n");
  CHECK(m.version == "8.7");
  CHECK(m.target == "sm_90a");
  CHECK(m.address_bits == 64);
  CHECK(m.has_debug_information);
  CHECK(m.statements.size() == 3);
  auto const small = ptx::read("// a\n# 1 \"x;\"\n.version\n8.0 .target\nsm_75//, debug\n");
  CHECK(small.version == "8.0");
  CHECK(small.target == "sm_75");
  CHECK(small.address_bits == 32);
  CHECK_FALSE(small.has_debug_information);
}

TEST_CASE("module: a small kernel, statement by statement") {
  CHECK(pieces_of(
            "// a kernel; {\n.visible .entry k(.param .u64 a) // b\n{\n  .reg .b32 %r<9>;\n$L:\n  @!%p1 ld.global.u32 "
            "%r1, [%rd1+4];\n  ret;\n}\n/* end */") ==
        std::vector<piece>{{statement_kind::function_head, ".visible .entry k(.param .u64 a)"},
                           {statement_kind::scope_begin, "{"},
                           {statement_kind::directive, ".reg .b32 %r<9>;"},
                           {statement_kind::label, "$L:"},
                           {statement_kind::instruction, "@!%p1 ld.global.u32 %r1, [%rd1+4];"},
                           {statement_kind::instruction, "ret;"},
                           {statement_kind::scope_end, "}"}});
}

TEST_CASE("module: each statement has its line and function") {
  std::string const source =
      head + ".global .u32 x;\r\n.func f()\r\n{\r\n\r\n ret; }\n.entry k() { bra L;\n L: ret;\n}\n";
  CHECK(pasta_test::find_fault(source) == "");
  auto const m = ptx::read(source);
  std::vector<std::uint32_t> lines, functions;
  for (std::size_t i = head_statements; i < m.statements.size(); ++i) {
    lines.push_back(m.statements[i].line);
    functions.push_back(m.statements[i].function);
  }
  CHECK(lines == std::vector<std::uint32_t>{4, 5, 6, 8, 8, 9, 9, 9, 10, 10, 11});
  CHECK(functions == std::vector<std::uint32_t>{ptx::no_function, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
}

TEST_CASE("module: instructions over many lines and many on one") {
  auto const pieces = body_of("add.s32 a,\n b,\n c; mov.b32 a, b;mov.b32 {a, b}, c; bar . sync 0 ;");
  REQUIRE(pieces.size() == 4);
  CHECK(pieces[0].text == "add.s32 a,\n b,\n c;");
  CHECK(pieces[2].text == "mov.b32 {a, b}, c;");
  for (auto const& p : pieces) CHECK(p.kind == statement_kind::instruction);
}

TEST_CASE("module: a call sequence") {
  CHECK(body_of("{ // callseq 0, 0\n.param .b32 param0;\ncall.uni (retval0), \nf, \n(\nparam0\n);\n} // callseq 0") ==
        std::vector<piece>{{statement_kind::scope_begin, "{"},
                           {statement_kind::directive, ".param .b32 param0;"},
                           {statement_kind::instruction, "call.uni (retval0), \nf, \n(\nparam0\n);"},
                           {statement_kind::scope_end, "}"}});
}

TEST_CASE("module: labels, also before directives and more than one") {
  CHECK(body_of("A: B /*:*/ : t: .branchtargets A, B; brx.idx %r1, t; p: .callprototype (.param .b32 _) _ (.param .b64 "
                "_) .noreturn; c: .calltargets f, g; ret;") ==
        std::vector<piece>{{statement_kind::label, "A:"},
                           {statement_kind::label, "B /*:*/ :"},
                           {statement_kind::label, "t:"},
                           {statement_kind::directive, ".branchtargets A, B;"},
                           {statement_kind::instruction, "brx.idx %r1, t;"},
                           {statement_kind::label, "p:"},
                           {statement_kind::directive, ".callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;"},
                           {statement_kind::label, "c:"},
                           {statement_kind::directive, ".calltargets f, g;"},
                           {statement_kind::instruction, "ret;"}});
}

TEST_CASE("module: semicolons and braces in strings and comments end nothing") {
  CHECK(pieces_of(".pragma \"a;b{\";\n.file 1 \"a;b{.cu\"\n// ; {\n/* } ; */.pragma \"x\" /* ; */ ;\n") ==
        directives({".pragma \"a;b{\";", ".file 1 \"a;b{.cu\"", ".pragma \"x\" /* ; */ ;"}));
  CHECK(body_of("// begin inline asm {\nfoo /* ; */ a, // }\n b;\n// end inline asm").size() == 1);
}

TEST_CASE("module: inline assembly's scopes, and bytes of any kind in comments and strings") {
  CHECK(body_of("// begin inline asm\n{ .reg .pred p; setp.ne.b32 p, a, 0; }\n// \xff\xc3\xa9 \0\f\n// end inline asm"s)
            .size() == 4);
  CHECK(pieces_of(".pragma \"\xff\0\xc3\";\0\f\v\r\n"s).size() == 1);
}

TEST_CASE("module: .file with a time and a size, .loc of any length, without semicolons") {
  std::vector<std::string> const texts = {".file 1 \"C:\\a\\\"",
                                          ".file\t2 \"b.cu\", 1700000000, 512",
                                          ".loc 1 7 3",
                                          ".loc\t1 8 3, function_name $L__info_string0, inlined_at 1 20 5",
                                          ".loc 1 8 3, function_name $sym+12, inlined_at 1 20 5",
                                          ".loc 1\n 9\n 3,\n function_name .debug_str+0x10,\n inlined_at 1\n 20 5",
                                          ".loc 2 1 1, discriminator 3"};
  for (std::string const separator : {"\n", " ", "\r\n"}) {
    std::string body;
    for (auto const& text : texts) body += text + separator + "ret;" + separator;
    auto pieces = body_of(body);
    std::vector<piece> expected;
    for (auto const& text : texts) {
      expected.push_back({statement_kind::directive, text});
      expected.push_back({statement_kind::instruction, "ret;"});
    }
    CHECK(pieces == expected);
  }
  std::string const source = head + ".file 1 \"C:\\a\\\"\n.file 2 \"b.cu\", 1, 2";
  auto const m = ptx::read(source);
  REQUIRE(m.files.size() == 2);
  CHECK(m.files[0].name == "C:\\a\\");
  CHECK(m.files[1].number == 2);
  CHECK(m.files[1].name == "b.cu");
}

TEST_CASE("module: sections are whole") {
  std::string const section = ".section .debug_info\n{\n.b32 12\n$L:\n.b8 1, 2 // }\n.b64 $L+4\n.b32 .debug_abbrev\n}";
  CHECK(pieces_of(section + ".global .u32 x;") ==
        std::vector<piece>{{statement_kind::section, section}, {statement_kind::directive, ".global .u32 x;"}});
}

TEST_CASE("module: initialisers with braces") {
  std::string const source =
      head +
      ".visible .global .align 4 .b8 x[4] = {1, 2, 3, 4};.const .u32 y[2][2] = {{1, 2}, {3, 4}};\n"
      ".global .u64 z[] = { f, generic(g), 0xFF(a) };";
  CHECK(pasta_test::find_fault(source) == "");
  auto const m = ptx::read(source);
  REQUIRE(m.variables.size() == 3);
  CHECK(m.variables[0].name == "x");
  CHECK(m.variables[0].space == ".global");
  CHECK(m.variables[0].linked == ptx::linkage::visible);
  CHECK(m.variables[1].name == "y");
  CHECK(m.variables[1].space == ".const");
  CHECK(m.variables[1].text == ".const .u32 y[2][2] = {{1, 2}, {3, 4}};");
  CHECK(m.variables[2].name == "z");
  CHECK(m.variables[2].statement == head_statements + 2);
}

TEST_CASE("module: variables of each space and linkage") {
  std::string const source =
      head +
      ".extern .shared .align 16 .b8 smem[];\n.weak .global .u32 a, b[3] = {1,2,3}, c;\n"
      ".global .attribute(.managed) .align 4 .u32 m;\n.attribute(.managed) .global .u32 n;\n"
      ".global .texref t;\n.common .global .u32 o;\n.alias f, g;\n.entry k() { .shared .u32 s; }";
  CHECK(pasta_test::find_fault(source) == "");
  auto const m = ptx::read(source);
  std::string names;
  for (auto const& v : m.variables) names += std::string(v.name) + " ";
  CHECK(names == "smem a b c m n t o ");
  CHECK(m.variables[0].linked == ptx::linkage::external);
  CHECK(m.variables[0].space == ".shared");
  CHECK(m.variables[3].linked == ptx::linkage::weak);
  CHECK(m.variables[7].linked == ptx::linkage::common);
}

TEST_CASE("module: a kernel's tuning, with and without commas") {
  std::string const source =
      head +
      ".visible .entry k(.param .u64 k_param_0)\n.maxntid 128, 1, 1\n.minnctapersm 2 .maxnreg 64 "
      ".reqnctapercluster 2 1 .explicitcluster .blocksareclusters .pragma \"x;\"; .later 5, (a, .b)\n"
      "{ ret; }";
  CHECK(pasta_test::find_fault(source) == "");
  auto const m = ptx::read(source);
  REQUIRE(m.functions.size() == 1);
  auto const& f = m.functions[0];
  CHECK(f.is_entry);
  CHECK(f.linked == ptx::linkage::visible);
  CHECK(f.tuning == list{".maxntid 128, 1, 1", ".minnctapersm 2", ".maxnreg 64", ".reqnctapercluster 2 1",
                         ".explicitcluster", ".blocksareclusters", ".pragma \"x;\";", ".later 5, (a, .b)"});
  CHECK(f.has(".maxntid"));
  CHECK(f.has(".explicitcluster"));
  CHECK_FALSE(f.has(".max"));
  CHECK(f.head == head_statements);
  CHECK(f.begin == head_statements + 1);
  CHECK(f.end == head_statements + 3);
}

TEST_CASE("module: functions, declarations and their linkage in any order") {
  std::string const source =
      head +
      ".extern .func (.param .b32 func_retval0) vprintf\n(\n.param .b64 p0,\n.param .b64 p1\n)\n;\n"
      ".weak .visible .func (.reg .b32 %r) f (.reg .b32 %a) .noreturn .abi_preserve 8 { ret; }\n"
      ".func .attribute(.unified(0xAB, 0xCD)) g;\n.func (.param .align 8 .b8 r[16]) g() { ret; }\n"
      ".visible .func h() .noreturn .pragma \"x\"; .visible .entry k { ret; }";
  CHECK(pasta_test::find_fault(source) == "");
  auto const m = ptx::read(source);
  REQUIRE(m.functions.size() == 6);
  CHECK(m.functions[0].is_declaration);
  CHECK(m.functions[0].linked == ptx::linkage::external);
  CHECK(m.functions[0].parameters.size() == 2);
  CHECK(m.functions[0].results.size() == 1);
  CHECK(m.functions[1].name == "f");
  CHECK(m.functions[1].tuning == list{".noreturn", ".abi_preserve 8"});
  CHECK(m.functions[1].results[0].name == "%r");
  CHECK(m.functions[1].results[0].is_register);
  CHECK(m.functions[2].is_declaration);
  CHECK(m.functions[2].name == "g");
  CHECK(m.functions[3].results[0].size_bytes == 16);
  CHECK(m.functions[4].is_declaration);
  CHECK(m.functions[4].tuning == list{".noreturn", ".pragma \"x\";"});
  CHECK(m.functions[5].is_entry);
  CHECK(m.functions[5].parameters.empty());
  CHECK(m.find("g") == &m.functions[3]);
  CHECK(m.find("vprintf") == &m.functions[0]);
  CHECK(m.find("none") == nullptr);
}

TEST_CASE("module: parameters") {
  std::string const source =
      head +
      ".entry k(.param .u64 .ptr .global .align 16 a, .param .align 16 .b8 b[64], .param .b8 c[],\n"
      ".param .b32 _, .reg .pred p, .param .align 8 .b64 d[2][0x3], .param .v4 .f32 e,\n"
      ".param .f16x2 f, .param .b128 g, .param .b8 h[99999999999999999999], .param .texref t) { }";
  CHECK(pasta_test::find_fault(source) == "");
  auto const m = ptx::read(source);
  auto const& p = m.functions.at(0).parameters;
  REQUIRE(p.size() == 11);
  std::string all;
  for (auto const& one : p) all += fmt::format("{} {} {} {}\n", one.name, one.type, one.alignment, one.size_bytes);
  CHECK(all ==
        "a .u64 0 8\nb .b8 16 64\nc .b8 0 0\n_ .b32 0 4\np .pred 0 0\nd .b64 8 48\ne .f32 0 16\nf .f16x2 0 4\n"
        "g .b128 0 16\nh .b8 0 0\nt .texref 0 0\n");
  CHECK(p[0].text == ".param .u64 .ptr .global .align 16 a");
  CHECK(p[4].is_register);
  CHECK_FALSE(p[3].is_register);
}

TEST_CASE("module: a declaration within a body is a function, and the body goes on") {
  std::string const source = head + ".entry k() { .extern .func f; ret; }";
  CHECK(pasta_test::find_fault(source) == "");
  auto const m = ptx::read(source);
  REQUIRE(m.functions.size() == 2);
  CHECK(m.functions[1].is_declaration);
  CHECK(m.statements[m.functions[1].head].function == 1);
  CHECK(m.statements[m.functions[1].head + 1].function == 0);
}

TEST_CASE("module: what is not known is kept") {
  CHECK(body_of("frob.new::kind.b32x7 %r1, <a>, #3; .newdirective 5, \"a;\"; .other (1; .reg .b32 a;") ==
        std::vector<piece>{{statement_kind::instruction, "frob.new::kind.b32x7 %r1, <a>, #3;"},
                           {statement_kind::directive, ".newdirective 5, \"a;\";"},
                           {statement_kind::directive, ".other (1;"},
                           {statement_kind::directive, ".reg .b32 a;"}});
  CHECK(pieces_of("add.s32 a, b, c; ; 5 + 5; .global .u32 x;") ==
        std::vector<piece>{{statement_kind::unknown, "add.s32 a, b, c;"},
                           {statement_kind::unknown, ";"},
                           {statement_kind::unknown, "5 + 5;"},
                           {statement_kind::directive, ".global .u32 x;"}});
  CHECK(body_of(";").front().kind == statement_kind::unknown);
}

TEST_CASE("module: an unknown directive without a semicolon ends with its line") {
  CHECK(body_of(".newloc 5, 7\nret;\n.newlist a,\n b, (c\n d)\n{\nret;\n}\n.last") ==
        std::vector<piece>{{statement_kind::directive, ".newloc 5, 7"},
                           {statement_kind::instruction, "ret;"},
                           {statement_kind::directive, ".newlist a,\n b, (c\n d)"},
                           {statement_kind::scope_begin, "{"},
                           {statement_kind::instruction, "ret;"},
                           {statement_kind::scope_end, "}"},
                           {statement_kind::directive, ".last"}});
  CHECK(pieces_of(".newsection a\n{ b; { c } }\n.newtable x =\n { 1, 2 }\n;\n.hidden\n.entry f()\n{ }\n.end") ==
        std::vector<piece>{{statement_kind::directive, ".newsection a\n{ b; { c } }"},
                           {statement_kind::directive, ".newtable x =\n { 1, 2 }\n;"},
                           {statement_kind::function_head, ".hidden\n.entry f()"},
                           {statement_kind::scope_begin, "{"},
                           {statement_kind::scope_end, "}"},
                           {statement_kind::directive, ".end"}});
  CHECK(pieces_of(".hidden .entry f() { }").front().text == ".hidden .entry f()");
}

TEST_CASE("module: lines of a preprocessor and of old debug information") {
  CHECK(pieces_of("# 7 \"a;{.cu\"\r\n@@DWARF .byte 0x00, 0x01\n.global .u32 x;\n#") ==
        directives({"# 7 \"a;{.cu\"", "@@DWARF .byte 0x00, 0x01", ".global .u32 x;", "#"}));
}

TEST_CASE("module: a million scopes deep, and names of any length") {
  constexpr std::size_t depth = 1000000;
  std::string source = head + ".entry k()" + std::string(depth, '{') + std::string(depth, '}');
  auto const m = ptx::read(source);
  CHECK(m.statements.size() == head_statements + 1 + 2 * depth);
  CHECK(m.functions.at(0).end == m.statements.size() - 1);
  source.pop_back();
  CHECK(error_of(source) == "line 4: the scope that begins here does not end");

  std::string const name(100000, 'x');
  std::string const named = head + ".entry " + name + "(.param .u32 " + name + ") { " + name + ": bra " + name + "; }";
  CHECK(pasta_test::find_fault(named) == "");
  CHECK(ptx::read(named).functions[0].parameters[0].name == name);
}

TEST_CASE("module: brackets a million deep") {
  constexpr std::size_t depth = 1000000;
  for (char const bracket : {'(', '[', '{'}) {
    std::string const open(depth, bracket);
    CHECK(error_of(head + ".entry k(" + open) != "no error");
    CHECK(error_of(head + ".global .u32 x = " + open) == "line 4: the statement that begins here does not end");
    CHECK(error_of(head + ".section .a {" + open) != "no error");
  }
  CHECK(pieces_of(".global .u32 x = " + std::string(depth, '{') + std::string(depth, '}') + ";").size() == 1);
}

TEST_CASE("module: what is not PTX is refused") {
  std::string const refused = "this is not PTX: it does not begin with .version";
  CHECK(error_of("") == "line 1: " + refused);
  CHECK(error_of("\n// .version 8.0\n") == "line 1: " + refused);
  CHECK(error_of("\n\nint main() {}") == "line 3: " + refused);
  CHECK(error_of("\x7f\x45LF\1\1\1\0\0\0"sv) == "line 1: " + refused);
  CHECK(error_of("\xef\xbb\xbf" + head) == "line 1: " + refused);
  CHECK(error_of(".file 1 \"a\"\n" + head) == "line 1: " + refused);
  CHECK(error_of(".version .target") == "line 1: .version lacks its number");
  CHECK(error_of(".version 8.0\n") == "line 2: the text has no .target");
}

TEST_CASE("module: what is cut short is refused, with the line where it begins") {
  CHECK(error_of(head + "\n/* a\n\n") == "line 5: the comment that begins here does not end");
  CHECK(error_of(head + ".entry k() {\nret; /* a\n") == "line 5: the comment that begins here does not end");
  CHECK(error_of(head + ".pragma\n\"a;\n") == "line 5: the string that begins here does not end");
  CHECK(error_of(head + ".entry k()\n{\n{ }\nret;\n") == "line 5: the scope that begins here does not end");
  CHECK(error_of(head + ".entry k()\n{\nadd.s32\na, b") == "line 6: the statement that begins here does not end");
  CHECK(error_of(head + ".entry k()\n{\nadd.s32 a, b\n}") == "line 6: the statement that begins here does not end");
  CHECK(error_of(head + ".entry k()\n{\n.reg .b32 a\n}") == "line 6: the statement that begins here does not end");
  // Not joined with what follows.
  std::string const next = "\n.entry j() { ret; }";
  CHECK(error_of(head + ".entry k()\n{\nadd.s32 a, b\n}" + next) ==
        "line 6: the statement that begins here does not end");
  CHECK(error_of(head + ".entry k()\n{\n.reg .b32 a\n}" + next) ==
        "line 6: the statement that begins here does not end");
  CHECK(error_of(head + ".entry k()\n{\nret;" + next) == "line 5: the scope that begins here does not end");
  CHECK(error_of(head + ".entry k(") == "line 4: the statement that begins here does not end");
  CHECK(error_of(head + ".section .a\n{ .b8 1") == "line 4: the statement that begins here does not end");
  CHECK(error_of(head + ".section .a") == "line 4: the statement that begins here does not end");
  CHECK(error_of(head + ".file 1") == "line 4: .file lacks its name");
  CHECK(error_of(head + ".file 1 \"a\", ") == "line 4: .file lacks a number behind its comma");
  CHECK(error_of(head + ".loc 1 2 3,") == "line 4: .loc lacks a name behind its comma");
  CHECK(error_of(".version 8.0 .target") == "line 1: .target lacks its name");
  CHECK(error_of(".version 8.0 .target sm_90 .address_size") == "line 1: .address_size lacks its number");
}

TEST_CASE("module: a brace too many, and a body within a body, are refused") {
  CHECK(error_of(head + ".entry k() {\n}\n}\n") == "line 6: the brace ends no scope");
  CHECK(error_of(head + ".entry k() {\n.func f() { ret; } }") == "line 4: the scope that begins here does not end");
}

TEST_CASE("module: a real text cut at any byte is refused or reads up to there") {
  std::string const source =
      head +
      "// a\n.extern .func (.param .b32 r) f (.param .b64 a);\n.global .align 1 .b8 s[3] = {1, 2, 0};\n"
      ".visible .entry k(.param .u64 a)\n.maxntid 8, 1, 1\n{\n.reg .b32 %r<3>;\n.loc 1 7 3\n"
      "@%p1 bra L;\n{ // callseq\ncall.uni (r), f, (a);\n}\nL:\nret;\n}\n.file 1 \"a.cu\"\n";
  std::size_t const body = source.find("{\n.reg"), behind_body = source.find("}\n.file");
  for (std::size_t i = 0; i < source.size(); ++i) {
    std::string const cut = source.substr(0, i);
    std::string const error = error_of(cut);
    if (error == "no error" && pasta_test::find_fault(cut) != "") FAIL_CHECK("byte " << i);
    if (i > body && i <= behind_body && error == "no error") FAIL_CHECK("byte " << i << " is within the body");
  }
}

TEST_CASE("module: looks_like_ptx looks behind blanks, comments and lines of a preprocessor") {
  CHECK(ptx::looks_like_ptx(head));
  CHECK(ptx::looks_like_ptx("// Generated\n//\r\n/* a */\n# 1 \"a.cu\"\n\t.version 8.0"));
  for (std::string_view const text : {"", "//", "/*", "version 8.0", ".versions",
                                      "\x7f"
                                      "ELF",
                                      ".target sm_90", "#"}) {
    CHECK_FALSE(ptx::looks_like_ptx(text));
  }
}
