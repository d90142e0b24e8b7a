// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <stdlib.h>

#include <catch.hpp>
#include <filesystem>
#include <fstream>

using namespace pasta::ptxas;

namespace {

using words = std::vector<std::string>;

words input_texts(words const& line) {
  command_line const read(line);
  words texts;
  for (input const& i : read.inputs()) texts.push_back(i.text);
  return texts;
}

bool is_understood(words const& line) { return command_line(line).reason_not_understood().empty(); }

/// A folder with options files.
class options_folder {
 public:
  options_folder() : path_("/tmp/pasta-options-XXXXXX") { REQUIRE(::mkdtemp(path_.data()) != nullptr); }
  ~options_folder() { std::filesystem::remove_all(path_); }
  std::string write(std::string const& name, std::string const& text) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("words that are neither options nor their values are inputs") {
  CHECK(input_texts({"-arch", "sm_90", "a.ptx", "-o", "out", "b"}) == words{"a.ptx", "b"});
  CHECK(input_texts({"-arch=sm_90", "a b.ptx", "--output-file=x"}) == words{"a b.ptx"});
  CHECK(input_texts({"a,b"}) == words{"a,b"});
  CHECK(input_texts({""}) == words{""});
  CHECK(input_texts({}).empty());
}

TEST_CASE("a value may look like an option or an input") {
  CHECK(input_texts({"-o", "-v", "a.ptx"}) == words{"a.ptx"});
  CHECK(input_texts({"-e", "a.ptx", "--entry", "-", "b.ptx"}) == words{"b.ptx"});
  CHECK(input_texts({"-o", "", "a.ptx"}) == words{"a.ptx"});
}

TEST_CASE("each option of the table takes as many words as it says") {
  for (option const& known : known_options()) {
    if (known.means == meaning::options_file || known.means == meaning::input_string) continue;
    for (auto const& [name, form] :
         {std::pair(known.long_name, known.long_form), {known.short_name, known.short_form}}) {
      INFO(name);
      bool const takes_next = form == takes::value || form == takes::value_or_joined;
      CHECK(input_texts({std::string(name), "x", "y"}) == (takes_next ? words{"y"} : words{"x", "y"}));
      CHECK(is_understood({std::string(name) + "=1", "y"}) == (form != takes::nothing));
      CHECK(is_understood({std::string(name)}) != takes_next);
    }
  }
}

TEST_CASE("options -O and -m take a number joined to them, only -m takes the next word") {
  CHECK(input_texts({"-O3", "a"}) == words{"a"});
  CHECK(input_texts({"-O", "3", "a"}) == words{"3", "a"});
  CHECK(input_texts({"--opt-level", "3", "a"}) == words{"a"});
  CHECK(input_texts({"-m64", "a"}) == words{"a"});
  CHECK(input_texts({"-m", "64", "a"}) == words{"a"});
  CHECK_FALSE(is_understood({"-Ofast", "a"}));
  CHECK_FALSE(is_understood({"-maxrregcount32", "a"}));
  CHECK_FALSE(is_understood({"--machine64", "a"}));
}

TEST_CASE("names with the wrong dashes, abbreviations and unknown ones are not understood") {
  for (char const* const name : {"--arch", "-gpu-name", "--gpu", "--", "---v", "-v=", "-nope", "@file-is-an-input"}) {
    INFO(name);
    CHECK(is_understood({name, "a"}) == (name[0] == '@'));
  }
  CHECK_THAT(command_line({"-x\n"}).reason_not_understood(), pasta_test::contains_text("-x\\n"));
}

TEST_CASE("an unknown option with its value in the word is handed on") {
  // Triton 3.9 gives ptxas this one, which its help does not list.
  CHECK(is_understood({"--regAllocOptLevel=2", "a"}));
  CHECK(input_texts({"-arch=sm_90", "--regAllocOptLevel=2", "a.ptx", "-o", "out"}) == words{"a.ptx"});
}

TEST_CASE("an option without its value is not understood") {
  CHECK_FALSE(is_understood({"a.ptx", "-o"}));
  CHECK(is_understood({"a.ptx", "-o="}));
}

TEST_CASE("options that only print are known") {
  for (char const* const name : {"--version", "-V", "--help", "-h", "--list-version", "-version-ls"}) {
    CHECK(command_line({name, "a.ptx"}).only_informs());
  }
  CHECK_FALSE(command_line({"-v", "a.ptx"}).only_informs());
  CHECK_FALSE(command_line({"-o", "--version", "a.ptx"}).only_informs());
}

TEST_CASE("strings and the standard input are inputs, strings the last ones") {
  command_line const line({"-ias", "text 1", "a.ptx", "--input-as-string=text=2", "-"});
  REQUIRE(line.inputs().size() == 4);
  CHECK(line.inputs()[0].text == "a.ptx");
  CHECK(line.inputs()[1].kind == input_kind::standard_input);
  CHECK(line.inputs()[1].name() == "<stdin>");
  CHECK(line.inputs()[2].text == "text 1");
  CHECK(line.inputs()[3].text == "text=2");
  CHECK(line.inputs()[3].name() == "application ptx input");
}

TEST_CASE("inputs are replaced, all else stays in its order") {
  command_line const line({"-v", "a.ptx", "-ias", "s1", "-o", "a.ptx", "-", "-ias=s2", "-g"});
  CHECK(line.words_with({std::nullopt, std::nullopt, std::nullopt, std::nullopt}) ==
        words{"-v", "a.ptx", "-ias", "s1", "-o", "a.ptx", "-", "-ias=s2", "-g"});
  CHECK(line.words_with({"A", std::nullopt, std::nullopt, std::nullopt}) ==
        words{"-v", "A", "-ias", "s1", "-o", "a.ptx", "-", "-ias=s2", "-g"});
  CHECK(line.words_with({std::nullopt, "B", "S1", "S2"}) == words{"-v", "a.ptx", "-o", "a.ptx", "B", "-g", "S1", "S2"});
}

TEST_CASE("an options file's words are parted as ptxas parts them") {
  CHECK(split_options_file("-arch sm_90\n\t-o\r\nx") == words{"-arch", "sm_90", "-o", "x"});
  CHECK(split_options_file("-o \"o ut\" a\"b\".ptx \"\"") == words{"-o", "o ut", "ab.ptx", ""});
  CHECK(split_options_file("sp\\ ace a\\\\b 'x y'") == words{"sp ace", "a\\b", "'x", "y'"});
  CHECK(split_options_file("").value().empty());
  CHECK_FALSE(split_options_file("\"abc").has_value());
  CHECK_FALSE(split_options_file("\"a\\\"b\"").has_value());
  CHECK_FALSE(split_options_file("a\\").has_value());
  CHECK_FALSE(split_options_file(std::string_view("a\0b", 3)).has_value());
}

TEST_CASE("an options file without inputs stays, one with inputs gives way to its words") {
  options_folder const folder;
  std::string const plain = folder.write("plain", "-arch sm_90 -v");
  std::string const inner = folder.write("inner", "-g in.ptx");
  std::string const outer = folder.write("outer", "-optf " + plain + " --options-file=" + inner);
  CHECK(command_line({"-optf", plain, "a"}).words_with({"A"}) == words{"-optf", plain, "A"});
  CHECK(command_line({"-optf=" + plain + "," + plain, "a"}).words_with({"A"}) ==
        words{"-optf=" + plain + "," + plain, "A"});
  command_line const line({"-optf", outer, "b"});
  REQUIRE(line.inputs().size() == 2);
  CHECK(line.inputs()[0].text == "in.ptx");
  CHECK(line.words_with({"I", std::nullopt}) == words{"-optf", plain, "-g", "I", "b"});
}

TEST_CASE("options files that cannot be read, or name themselves, are not understood") {
  options_folder const folder;
  std::string const own = folder.write("own", "");
  folder.write("own", "-optf " + own);
  CHECK_FALSE(is_understood({"-optf", own, "a"}));
  CHECK_FALSE(is_understood({"-optf", own + "-missing", "a"}));
  CHECK_FALSE(is_understood({"-optf", "/dev/null", "a"}));
  CHECK_FALSE(is_understood({"-optf", folder.write("cut", "-o"), "out", "a"}));
  CHECK(command_line({"-optf", folder.write("version", "--version"), "a"}).only_informs());
}
